package org.nyala.loadtest;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs one job against a server. Confined to the thread that runs it. */
@Command(mixinStandardHelpOptions = true, showDefaultValues = true, sortOptions = false)
final class JobCommand implements Callable<Integer> {
  private static final int DEFAULT_LDAP_PORT = 389;

  private final JobKind job;

  @Option(names = "--url", required = true, paramLabel = "URL", description = "ldap://host:port")
  private String url = "";

  @Option(names = "--connections", description = "clients at work at once")
  private int connections = 16;

  @Option(names = "--threads", description = "event loops of the load tester")
  private int threads = 1;

  @Option(names = "--seconds", description = "length of the measured period")
  private double seconds = 10;

  @Option(names = "--warmup-seconds", description = "time at work before it")
  private double warmupSeconds = 2;

  @Option(names = "--operations", description = "stop each client after so many; 0: no bound")
  private long operations;

  @Option(names = "--base", paramLabel = "DN", description = "base of searches")
  private String base = LoadSettings.DEFAULT_BASE;

  @Option(names = "--people", paramLabel = "DN", description = "parent of uid=user.0, uid=user.1 …")
  private String people = LoadSettings.DEFAULT_PEOPLE;

  @Option(names = "--users", required = true, description = "how many people there are")
  private int users;

  @Option(
      names = "--bind-dn",
      paramLabel = "DN",
      description =
          "identity of connections that search (search, authenticate, scan); none: anonymous")
  private String bindDn = "";

  @Option(names = "--password", description = "its password")
  private String password = "";

  @Option(names = "--pid", description = "process id of the server, to report its CPU time")
  private long pid;

  @Option(names = "--json", paramLabel = "FILE", description = "also write the report as JSON")
  private @Nullable Path json;

  @Spec private @Nullable CommandSpec spec;

  JobCommand(JobKind job) {
    this.job = job;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandSpec command = java.util.Objects.requireNonNull(spec);
    PrintWriter out = command.commandLine().getOut();
    try {
      LoadReport report = LoadRun.run(settings(command));
      out.print(report.text());
      out.flush();
      if (json != null) {
        Files.writeString(json, report.json() + System.lineSeparator());
      }
      return report.errorCount() == 0 ? Main.OK : Main.FAILED;
    } catch (LoadTestException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + e.getMessage());
      return Main.FAILED;
    }
  }

  private LoadSettings settings(CommandSpec command) {
    try {
      return new LoadSettings(
          job,
          address(url),
          connections,
          threads,
          seconds,
          warmupSeconds,
          operations,
          base,
          people,
          users,
          bindDn,
          password,
          pid);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private static InetSocketAddress address(String url) {
    URI uri = URI.create(url);
    if (!"ldap".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException("--url must be ldap://host:port, not " + url);
    }
    InetSocketAddress address =
        new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? DEFAULT_LDAP_PORT : uri.getPort());
    if (address.isUnresolved()) {
      throw new IllegalArgumentException("--url: unknown host " + uri.getHost());
    }
    return address;
  }
}
