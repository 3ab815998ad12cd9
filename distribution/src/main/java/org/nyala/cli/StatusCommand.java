package org.nyala.cli;

import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nyala status}. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Tells whether a server runs: exit code 0 when it does, 3 when it does not.")
final class StatusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Optional<RunDirectory.Holder> holder = data.runDirectory().holder();
    if (holder.isEmpty()) {
      out.println("nyala is not running");
      return ExitCode.NOT_RUNNING;
    }
    RunDirectory.Holder server = holder.get();
    String state = server.isReady() ? "is running" : "is starting or stopping";
    out.println("nyala " + state + ", pid " + server.pid());
    server.listeners().forEach(out::println);
    return ExitCode.OK;
  }
}
