package org.nyala.cli.command;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.management.bean.LocalManagement;
import org.nyala.service.RunningManagement;
import picocli.CommandLine.Mixin;

/**
 * The base of the commands on a data directory.
 *
 * <p>Confined to the thread that executes the command.
 */
public abstract class DataCommand extends NyalaCommand {
  @Mixin private DataOptions data = new DataOptions();

  /** Returns the options that select the data. */
  protected final DataOptions data() {
    return data;
  }

  /** Returns whether a server runs on the data. */
  protected final boolean isServed() {
    return data.runDirectory().holder().isPresent();
  }

  /** Connects to the management of the server that runs on it. */
  protected final LocalManagement connect() {
    return new RunningManagement(data.runDirectory(), data::notRunning).connect();
  }

  /** The work of a command at the management of a running server. */
  @FunctionalInterface
  protected interface Managed {
    /** Does it; returns the exit code. */
    int run(LocalManagement server) throws IOException;
  }

  /**
   * Does work at the management of the server that runs on the data.
   *
   * @return the exit code
   * @throws CommandException if the server refuses it, or does not answer
   */
  protected final int manage(Managed work) throws IOException {
    try (LocalManagement server = connect()) {
      return work.run(server);
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed(
          "the server does not answer: " + ErrorMessages.line(e.getUndeclaredThrowable()));
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  /**
   * Returns the user for whom the command runs, which the server logs: that of {@code sudo}, if it
   * was used.
   */
  protected static String caller() {
    String behind = System.getenv("SUDO_USER");
    return behind == null || behind.isEmpty() ? System.getProperty("user.name", "") : behind;
  }
}
