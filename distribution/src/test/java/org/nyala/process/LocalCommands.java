package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Arrays;
import org.nyala.cli.Main;
import org.nyala.cli.command.ProgressLine;
import org.nyala.error.ExitCode;

/**
 * Runs commands in this process and keeps the output of the last one.
 *
 * <p>Confined to one thread.
 */
public final class LocalCommands {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Runs a command; returns its exit code. */
  public int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(withoutProgress(err))
        .execute(arguments);
  }

  /** Runs a command with a configuration, if it takes one; returns its exit code. */
  public int run(Path configuration, String... arguments) {
    if (arguments[0].equals("sample")) {
      return run(arguments);
    }
    String[] all = Arrays.copyOf(arguments, arguments.length + 1);
    all[arguments.length] = "--config=" + configuration;
    return run(all);
  }

  /** Runs a command with a configuration; it must succeed. */
  public void shouldSucceed(Path configuration, String... arguments) {
    assertThat(run(configuration, arguments)).as("%s%s", out, err).isEqualTo(ExitCode.OK);
  }

  /** Returns the standard output. */
  public String out() {
    return out.toString();
  }

  /** Returns the standard error without progress. */
  public String err() {
    return err.toString();
  }

  /**
   * Returns a writer that drops the output of a {@link ProgressLine}, which would depend on
   * durations and pauses of the machine.
   */
  public static PrintWriter withoutProgress(Writer target) {
    return new WithoutProgress(target);
  }

  private static final class WithoutProgress extends PrintWriter {
    private static final StackWalker CALLERS =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    WithoutProgress(Writer target) {
      super(target, true);
    }

    @Override
    public void print(String text) {
      if (CALLERS.getCallerClass() != ProgressLine.class) {
        super.print(text);
      }
    }

    @Override
    public void println(String line) {
      if (CALLERS.getCallerClass() != ProgressLine.class) {
        super.println(line);
      }
    }
  }
}
