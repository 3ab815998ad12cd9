package org.nyala.loadtest.failover;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.nyala.loadtest.options.BindOptions;
import org.nyala.loadtest.options.FileFailure;
import org.nyala.loadtest.options.TlsOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.Security;
import org.nyala.loadtest.workload.ServerUrl;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of servers and of the identity at all of them. Set by picocli, then only read. */
final class ServerOptions {
  /** The most servers: they are bits of a word in findings. */
  private static final int MOST_SERVERS = 26;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "ldap://host:port or ldaps://host:port; repeated for each server")
  private List<String> urls = List.of();

  @Mixin private BindOptions bind = new BindOptions();

  @Option(
      names = "--time-out",
      paramLabel = "SECONDS",
      description =
          "how long a connection or an answer is waited for; longer than answers take, shorter than"
              + " gaps that are to be measured")
  private double timeOut = 2;

  @Mixin private TlsOptions tls = new TlsOptions();

  /**
   * Returns the servers.
   *
   * @param fewest how many there have to be
   * @throws IllegalArgumentException if an option is wrong
   * @throws LoadTestException if a file cannot be read
   */
  List<Server> servers(int fewest) throws LoadTestException {
    LoadSettings.require(
        urls.size() >= fewest && urls.size() <= MOST_SERVERS,
        "--url",
        "given " + fewest + " to " + MOST_SERVERS + " times",
        urls.size() + " times");
    LoadSettings.require(
        timeOut >= 0.01 && timeOut <= 3600, "--time-out", "from 0.01 to 3600", timeOut);
    List<Server> servers = new ArrayList<>();
    try {
      for (String url : urls) {
        Security security = tls.security(url);
        servers.add(
            new Server(
                servers.size(),
                url,
                ServerUrl.address(url),
                new Login(bind.account(security, tls.hasCertificate())),
                (int) Math.round(timeOut * 1000),
                security));
      }
    } catch (IOException e) {
      throw new LoadTestException(FileFailure.sentence(e));
    }
    return servers;
  }
}
