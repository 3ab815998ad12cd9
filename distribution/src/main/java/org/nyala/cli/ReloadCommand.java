package org.nyala.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.LocalManagement;
import org.nyala.management.ServerMXBean;
import org.nyala.service.RunningManagement;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nyala reload}. */
@Command(
    name = "reload",
    mixinStandardHelpOptions = true,
    description = {
      "Makes the server of the data directory reload its configuration, and reports "
          + "the changes that have taken effect and those that require a restart.",
      "A configuration with a mistake changes nothing. SIGHUP does the same and "
          + "reports to the server's log.",
      "Must be run as the server's user."
    })
final class ReloadCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Override
  public Integer call() throws IOException {
    try (LocalManagement server = new RunningManagement(data.runDirectory()).connect()) {
      ServerMXBean.Reloaded reloaded = server.server().reload();
      PrintWriter out = spec.commandLine().getOut();
      show(out, "took effect", reloaded.tookEffect());
      show(out, "takes a restart", reloaded.needRestart());
      if (reloaded.tookEffect().isEmpty() && reloaded.needRestart().isEmpty()) {
        out.println("nothing has changed");
      }
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, "nothing was changed: " + ErrorMessages.line(e));
    }
  }

  private static void show(PrintWriter out, String what, List<String> keys) {
    keys.forEach(key -> out.println(what + ": " + key));
  }
}
