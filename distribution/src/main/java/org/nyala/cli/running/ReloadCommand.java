package org.nyala.cli.running;

import java.io.IOException;
import java.util.List;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.LocalManagement;
import org.nyala.management.bean.ServerMXBean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code nyala reload}. */
@Command(
    name = "reload",
    description = {
      "Makes the server of the data directory reload its configuration, and reports "
          + "the changes that have taken effect and those that require a restart.",
      "A configuration with a mistake changes nothing. SIGHUP does the same and "
          + "reports to the server's log.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class ReloadCommand extends DataCommand {
  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() throws IOException {
    try (LocalManagement server = remote.connect().orElseGet(this::connectWithSoundFile)) {
      ServerMXBean.Reloaded reloaded = server.server().reload();
      show("took effect", reloaded.tookEffect());
      show("takes a restart", reloaded.needRestart());
      if (reloaded.tookEffect().isEmpty() && reloaded.needRestart().isEmpty()) {
        out().println("nothing has changed");
      }
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw CommandException.usage("nothing was changed: " + ErrorMessages.line(e));
    }
  }

  /** Requires a configuration that can be read, before the server is asked to read it. */
  private LocalManagement connectWithSoundFile() {
    NyalaConfig _ = data().configuration();
    return connect();
  }

  private void show(String what, List<String> keys) {
    keys.forEach(key -> out().println(what + ": " + key));
  }
}
