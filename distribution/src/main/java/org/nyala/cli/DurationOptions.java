package org.nyala.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nyala.management.ContentionMXBean;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option that says for how long a command looks at the server of the data directory. */
final class DurationOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "For how long, 1 to "
              + ContentionMXBean.MAXIMUM_SECONDS
              + " seconds (default ${DEFAULT-VALUE}).")
  private int seconds;

  /** Takes so long where the command line does not say. */
  DurationOptions(int defaultSeconds) {
    seconds = defaultSeconds;
  }

  /**
   * How long, in seconds.
   *
   * @throws picocli.CommandLine.ParameterException where that is out of bounds
   */
  int seconds() {
    OptionRange.check(command, "--seconds", seconds, 1, ContentionMXBean.MAXIMUM_SECONDS);
    return seconds;
  }

  /** Waits so long. */
  void await() throws InterruptedException {
    boolean _ = new CountDownLatch(1).await(seconds(), TimeUnit.SECONDS);
  }
}
