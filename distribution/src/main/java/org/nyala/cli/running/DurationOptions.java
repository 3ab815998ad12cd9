package org.nyala.cli.running;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nyala.cli.command.NyalaCommand;
import org.nyala.management.bean.ContentionMXBean;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option for how long a command observes the server of the data directory. */
final class DurationOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "The duration, 1 to "
              + ContentionMXBean.MAXIMUM_SECONDS
              + " seconds (default ${DEFAULT-VALUE}).")
  private int seconds;

  DurationOptions(int defaultSeconds) {
    seconds = defaultSeconds;
  }

  /**
   * Returns the duration in seconds.
   *
   * @throws picocli.CommandLine.ParameterException if it is out of bounds
   */
  int seconds() {
    NyalaCommand.requireRange(command, "--seconds", seconds, 1, ContentionMXBean.MAXIMUM_SECONDS);
    return seconds;
  }

  void await() throws InterruptedException {
    boolean _ = new CountDownLatch(1).await(seconds(), TimeUnit.SECONDS);
  }
}
