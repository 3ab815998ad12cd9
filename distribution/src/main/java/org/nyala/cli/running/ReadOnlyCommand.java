package org.nyala.cli.running;

import java.lang.reflect.UndeclaredThrowableException;
import org.nyala.cli.command.DataCommand;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.ServerMXBean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code nyala read-only}. */
@Command(
    name = "read-only",
    description = {
      "Shows whether the server of the data directory refuses every change, ends changes, or takes"
          + " them up again.",
      "A switch takes effect at once and lasts until the next one or the end of the server: the"
          + " configuration (readOnly) stays as it is. When on returns, all earlier changes are on"
          + " disk. A copy goes on to follow its provider.",
      "Must be run as the server's user, or with --jmx as a user of the port; on and off need that"
          + " of management.jmxAdmin."
    })
public final class ReadOnlyCommand extends DataCommand {
  enum Action {
    show,
    on,
    off
  }

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "ACTION",
      description = "show (default), on or off.")
  private Action action = Action.show;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() {
    try (LocalManagement connected = remote.connect().orElseGet(this::connect)) {
      ServerMXBean server = connected.server();
      if (action == Action.show) {
        out().println("read-only: " + word(server.isReadOnly()));
      } else {
        boolean was = server.switchReadOnly(action == Action.on, caller());
        out().println("read-only: " + action + ", was " + word(was));
      }
      return ExitCode.OK;
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed("the server has ended, or cannot be switched");
    } catch (IllegalStateException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
  }

  private static String word(boolean isOn) {
    return isOn ? "on" : "off";
  }
}
