"""Opens connections whose windows are small, sends the text of standard input on each, and reads nothing.

Node cannot set options of sockets. With the smallest buffer and segments, the kernel takes a few KiB of a response, and
the service has to hold the rest.
"""
import signal
import socket
import sys

host, port, connections = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
text = sys.stdin.buffer.read()
sockets = []
for _ in range(connections):
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    client.connect((host, port))
    client.sendall(text)
    sockets.append(client)
print("sent", flush=True)
signal.pause()
