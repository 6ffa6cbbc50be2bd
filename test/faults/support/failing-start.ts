// Run in a process of its own by a test: a start with the embedded sandbox fails, and nothing keeps the process from ending.
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../../src/app.module';

@Module({
  imports: [AppModule],
  providers: [
    {
      provide: 'failing',
      inject: [],
      useFactory: async () => {
        // The sandbox of the other module has been started by then.
        await new Promise((resolve) => setTimeout(resolve, 1000));
        throw new Error('a provider of a team');
      },
    },
  ],
})
class TeamModule {}

Test.createTestingModule({ imports: [TeamModule] })
  .compile()
  .catch((error: unknown) => {
    process.stdout.write(String(error));
  });
