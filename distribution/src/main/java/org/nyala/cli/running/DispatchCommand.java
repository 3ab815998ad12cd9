package org.nyala.cli.running;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.LocalManagement;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code nyala dispatch}. */
@Command(
    name = "dispatch",
    description = {
      "Shows and changes where operations of the data directory's server run.",
      "A change takes effect at once and loses no request; it lasts until the server "
          + "ends, because it does not change the configuration.",
      "Must be run as the server's user, or with --jmx as a user of the port; set needs that of"
          + " management.jmxAdmin."
    })
public final class DispatchCommand extends DataCommand {
  @Mixin private RemoteOptions remote = new RemoteOptions();

  enum Action {
    show,
    set
  }

  @Parameters(index = "0", paramLabel = "ACTION", description = "show or set.")
  private Action action = Action.show;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "STRATEGY",
      description = "The new strategy; 'dispatch show' lists all.")
  private @Nullable String strategy;

  @Override
  public Integer call() throws IOException {
    String wanted = strategy;
    if ((action == Action.set) != (wanted != null)) {
      throw CommandException.usage(
          wanted == null ? "dispatch set: name a strategy" : "dispatch show: takes no strategy");
    }
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      if (wanted == null) {
        show(server.dispatch());
      } else {
        set(server.dispatch(), wanted);
      }
    }
    return ExitCode.OK;
  }

  private void show(DispatchMXBean dispatch) {
    out().println("strategy    " + dispatch.getStrategy());
    out().println("offered     " + String.join(", ", dispatch.getStrategies()));
    out().println("in flight   " + dispatch.getInFlight());
    out().println("operations  " + dispatch.getOperationsCompleted());
    out().println("polls       " + dispatch.getPolls());
    out().println("switches    " + dispatch.getSwitches());
  }

  private void set(DispatchMXBean dispatch, String wanted) {
    if (!dispatch.getStrategies().contains(wanted)) {
      throw CommandException.usage(
          "there is no strategy '"
              + wanted
              + "'; offered are "
              + String.join(", ", dispatch.getStrategies()));
    }
    String before = dispatch.switchStrategy(wanted);
    out().println("dispatch strategy: " + wanted + ", was " + before);
  }
}
