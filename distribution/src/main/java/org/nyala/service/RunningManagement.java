package org.nyala.service;

import java.io.IOException;
import java.util.function.Supplier;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.LocalManagement;

/** Finds the server of a data directory for commands that manage it. Immutable. */
public final class RunningManagement {
  private final RunDirectory run;
  private final Supplier<String> none;

  /**
   * Looks for the server of a run directory.
   *
   * @param none says that there is none
   */
  public RunningManagement(RunDirectory run, Supplier<String> none) {
    this.run = run;
    this.none = none;
  }

  /**
   * Connects to the running server.
   *
   * @throws CommandException if none runs, or it denies access to this user
   */
  public LocalManagement connect() {
    RunDirectory.Holder holder =
        run.holder().orElseThrow(() -> new CommandException(ExitCode.NOT_RUNNING, none.get()));
    if (!holder.isReady()) {
      throw CommandException.failed(
          "the server (pid " + holder.pid() + ") is starting or stopping: try again");
    }
    try {
      return LocalManagement.attach(holder.pid());
    } catch (IOException e) {
      throw CommandException.failed(
          "cannot connect to the server (pid "
              + holder.pid()
              + "); is it run by the same user? "
              + ErrorMessages.reason(e));
    }
  }
}
