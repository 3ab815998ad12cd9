package org.nyala.cli.command;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.core.limits.Keys;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.PasswordFile;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderLogin;
import org.nyala.replica.ProviderUrl;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Option;

/**
 * The options of a command that reads servers.
 *
 * <p>Confined to the thread that executes the command.
 */
public final class ServerOptions {
  /** The default is generous: a server may look through all entries for the first subentry. */
  private static final int IDLE_SECONDS = 600;

  private static final int MOST_IDLE_SECONDS = 86_400;

  @Option(
      names = "--bind-dn",
      paramLabel = "DN",
      description = "The name to bind with at servers; for a comparison it must read everything.")
  private @Nullable String bindDn;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "The file with the password for --bind-dn in its first line.")
  private @Nullable Path passwordFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) of servers to trust, instead of the Java runtime's"
              + " and, for this server, its own one.")
  private @Nullable Path certificates;

  @Option(names = "--start-tls", description = "Encrypt ldap:// by StartTLS.")
  private boolean startTls;

  @Option(
      names = "--idle-seconds",
      paramLabel = "SECONDS",
      description =
          "The longest time without an answer of a server while it is read; 0 for no"
              + " bound. Default: "
              + IDLE_SECONDS
              + ".")
  private @Nullable Integer idleSeconds;

  /** Returns whether one was given. */
  public boolean isAny() {
    return bindDn != null
        || passwordFile != null
        || certificates != null
        || startTls
        || idleSeconds != null;
  }

  /**
   * Returns the longest time without an answer while a server is read; 0 for no bound.
   *
   * @throws CommandException if it is out of range
   */
  public int idleSeconds() {
    int seconds = idleSeconds == null ? IDLE_SECONDS : idleSeconds;
    if (seconds < 0 || seconds > MOST_IDLE_SECONDS) {
      throw wrong("--idle-seconds: expected a number from 0 to " + MOST_IDLE_SECONDS);
    }
    return seconds;
  }

  /** Returns the file of the certificates to trust; null for the default. */
  public @Nullable Path certificates() {
    return certificates;
  }

  /** Returns whether StartTLS was asked for. */
  public boolean startsTls() {
    return startTls;
  }

  /** Returns whether clear text must not leave this machine: as configured, if that can be read. */
  public static boolean requiresEncryption(Supplier<NyalaConfig> configuration) {
    try {
      return configuration
          .get()
          .updates()
          .replication()
          .map(copied -> copied.provider().encryption().isRequired())
          .orElse(true);
    } catch (ConfigurationException _) {
      return true;
    }
  }

  /**
   * Parses an address.
   *
   * @throws CommandException if it is none
   */
  public static ProviderUrl parse(String url) {
    try {
      return ProviderUrl.parse(url);
    } catch (IllegalArgumentException e) {
      throw wrong(ErrorMessages.line(e));
    }
  }

  /**
   * Returns the way to a server.
   *
   * @param text its URL
   * @param isRequired true if clear text must not leave this machine
   * @throws CommandException if it would, or the URL is none
   */
  public ProviderAccess access(String text, boolean isRequired) throws IOException {
    ProviderUrl url = parse(text);
    ProviderAccess access =
        access(
            url,
            new ProviderAccess.Encryption(
                startTls && !url.isTls(), isRequired, certificates, true, null));
    if (access.isExposed()) {
      throw wrong(
          "entries and passwords would cross the network in clear text to "
              + url
              + ": use ldaps://, or --start-tls");
    }
    return access;
  }

  /** Returns the way to a server with the identity of the options. */
  public ProviderAccess access(ProviderUrl url, ProviderAccess.Encryption encryption)
      throws IOException {
    return Keys.defaults(
        ProviderAccess.class, Map.of("url", url, "encryption", encryption, "login", login()));
  }

  /**
   * Returns the way to the server of the data directory. It is reached by an address of this
   * machine, for which its certificate is not: it has to be the configured one, or of an authority
   * that was named.
   */
  public ProviderAccess own(NyalaConfig configuration, Optional<RunDirectory.Holder> running)
      throws IOException {
    List<String> urls =
        running.orElseThrow(() -> CommandException.failed("no server is running")).listeners();
    ProviderUrl url =
        urls.stream()
            .filter(each -> each.startsWith("ldap://") || each.startsWith("ldaps://"))
            .map(ServerOptions::parse)
            .min(Comparator.comparing(ProviderUrl::isTls))
            .map(ServerOptions::reachable)
            .orElseThrow(() -> CommandException.failed("this server listens on no port"));
    Path trust =
        certificates != null
            ? certificates
            : configuration.wire().tls().certificates().stream()
                .map(TlsSettings.Files::certificate)
                .findFirst()
                .orElse(null);
    return access(
        url, new ProviderAccess.Encryption(startTls && !url.isTls(), false, trust, false, null));
  }

  /** Returns an address of this machine for one of all its networks. */
  private static ProviderUrl reachable(ProviderUrl listener) {
    InetAddress address = InetAddress.ofLiteral(listener.host());
    return address.isAnyLocalAddress()
        ? new ProviderUrl(
            address instanceof Inet4Address ? "127.0.0.1" : "::1",
            listener.port(),
            listener.isTls())
        : listener;
  }

  private ProviderLogin login() throws IOException {
    String dn = bindDn;
    Path file = passwordFile;
    if (dn == null && file == null) {
      return ProviderLogin.NOBODY;
    }
    if (dn == null || file == null) {
      throw wrong("--bind-dn and --password-file: give both or neither");
    }
    return ProviderLogin.simple(dn, PasswordFile.read(file));
  }

  private static CommandException wrong(String message) {
    return CommandException.usage(message);
  }
}
