package org.nyala.loadtest.failover;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.ServerUrl;
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

  @Option(
      names = "--bind-dn",
      paramLabel = "DN",
      description = "identity at all servers, which may add, modify and delete; none: anonymous")
  private String bindDn = "";

  @Option(
      names = "--password",
      description = "its password, which other users of the machine can see: see --password-file")
  private @Nullable String password;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "a file with its password in the first line")
  private @Nullable Path passwordFile;

  @Option(
      names = "--time-out",
      paramLabel = "SECONDS",
      description =
          "how long a connection or an answer is waited for; longer than answers take, shorter than"
              + " gaps that are to be measured")
  private double timeOut = 2;

  @Option(names = "--start-tls", description = "encrypt by StartTLS; ldaps:// does from the start")
  private boolean startTls;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "certificates (PEM) to trust instead of those of the Java runtime")
  private @Nullable Path certificates;

  @Option(names = "--trust-all", description = "trust any certificate: for tests only")
  private boolean trustsAll;

  /**
   * Returns the servers.
   *
   * @param fewest how many there have to be
   * @throws IllegalArgumentException if an option is wrong
   */
  List<Server> servers(int fewest) throws IOException {
    LoadSettings.require(
        urls.size() >= fewest && urls.size() <= MOST_SERVERS,
        "--url",
        "given " + fewest + " to " + MOST_SERVERS + " times",
        urls.size() + " times");
    LoadSettings.require(
        timeOut >= 0.01 && timeOut <= 3600, "--time-out", "from 0.01 to 3600", timeOut);
    LoadSettings.require(
        password == null || passwordFile == null,
        "--password",
        "given without --password-file",
        "both");
    Account account = new Account(bindDn, secret());
    List<Server> servers = new ArrayList<>();
    for (String url : urls) {
      servers.add(
          new Server(
              servers.size(),
              url,
              ServerUrl.address(url),
              account,
              (int) Math.round(timeOut * 1000),
              encryption(url)));
    }
    return servers;
  }

  private String secret() throws IOException {
    if (passwordFile == null) {
      return password == null ? "" : password;
    }
    try (Stream<String> lines = Files.lines(passwordFile)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--password-file must be a file that can be read, not " + passwordFile, e);
    }
  }

  private Server.@Nullable Encryption encryption(String url) throws IOException {
    boolean isLdaps = ServerUrl.isEncrypted(url);
    if (!isLdaps && !startTls) {
      return null;
    }
    LoadSettings.require(!isLdaps || !startTls, "--start-tls", "used with ldap://", url);
    SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
    if (trustsAll) {
      builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
    } else if (certificates != null) {
      builder.trustManager(certificates.toFile());
    }
    return new Server.Encryption(((JdkSslContext) builder.build()).context(), !isLdaps, !trustsAll);
  }
}
