package org.nyala.cli.running;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.PasswordFile;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderLogin;
import org.nyala.replica.ProviderUrl;
import org.nyala.replica.ReplicationSettings;
import org.nyala.replica.ServerComparison;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Option;

/**
 * The options of a comparison of two servers.
 *
 * <p>Confined to the thread that executes the command.
 */
final class ComparisonOptions {
  @Option(
      names = "--base",
      paramLabel = "DN",
      description = "With compare: the top entry. Default: the naming context that is copied.")
  private @Nullable String base;

  @Option(
      names = "--bind-dn",
      paramLabel = "DN",
      description =
          "With compare: the name to bind with at the servers of the URLs and this one; it must read"
              + " everything.")
  private @Nullable String bindDn;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "With compare: the file with the password in its first line.")
  private @Nullable Path passwordFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "With compare: certificates (PEM) to trust, instead of the Java runtime's"
              + " and, for this server, its own one.")
  private @Nullable Path certificates;

  @Option(names = "--start-tls", description = "With compare: encrypt ldap:// by StartTLS.")
  private boolean startTls;

  @Option(
      names = "--ignore",
      paramLabel = "ATTR",
      split = ",",
      description = "With compare: attributes that do not count, separated by commas.")
  private List<String> ignored = List.of();

  @Option(
      names = "--limit",
      paramLabel = "NUMBER",
      description =
          "With compare: the differences that are printed; all are counted. Default: "
              + ServerComparison.SHOWN
              + ".")
  private @Nullable Integer limit;

  /**
   * The servers of a comparison.
   *
   * @param base the name of the entry at the top
   */
  record Sides(ProviderAccess first, ProviderAccess second, String base) {}

  /** Returns whether an option of a comparison was given. */
  boolean isAny() {
    return base != null
        || bindDn != null
        || passwordFile != null
        || certificates != null
        || startTls
        || limit != null
        || !ignored.isEmpty();
  }

  List<String> ignored() {
    return ignored;
  }

  int limit() {
    return limit == null ? ServerComparison.SHOWN : limit;
  }

  /**
   * Returns the servers to compare.
   *
   * @param urls those that were named, two at most
   * @param configuration reads the configuration, if it is needed
   * @param running looks the server of the data directory up, if it is needed
   */
  Sides sides(
      List<String> urls,
      Supplier<NyalaConfig> configuration,
      Supplier<Optional<RunDirectory.Holder>> running)
      throws IOException {
    if (limit() < 0) {
      throw wrong("--limit: expected 0 or more");
    }
    boolean isRequired = requiresEncryption(configuration);
    if (urls.size() == 2) {
      if (base == null) {
        throw wrong("sync compare URL URL takes --base");
      }
      return new Sides(
          access(urls.getFirst(), isRequired), access(urls.getLast(), isRequired), base);
    }
    ReplicationSettings copied =
        configuration
            .get()
            .updates()
            .replication()
            .orElseThrow(() -> wrong("sync compare: this server copies nothing: name two URLs"));
    ProviderAccess first =
        urls.isEmpty()
            ? own(configuration.get(), running.get())
            : access(urls.getFirst(), isRequired);
    return new Sides(first, copied.provider(), top(copied, configuration.get()));
  }

  private String top(ReplicationSettings copied, NyalaConfig configuration) {
    if (base != null) {
      return base;
    }
    List<String> suffixes =
        copied.suffixes().isEmpty() ? configuration.suffixes() : copied.suffixes();
    if (suffixes.size() != 1) {
      throw wrong("sync compare: choose a naming context with --base");
    }
    return suffixes.getFirst();
  }

  /** Returns whether clear text must not leave this machine: as configured, if that can be read. */
  private static boolean requiresEncryption(Supplier<NyalaConfig> configuration) {
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
   * Returns the way to the server of the data directory. It is reached by an address of this
   * machine, for which its certificate is not: it has to be the configured one, or of an authority
   * that was named.
   */
  private ProviderAccess own(NyalaConfig configuration, Optional<RunDirectory.Holder> running)
      throws IOException {
    List<String> urls =
        running.orElseThrow(() -> CommandException.failed("no server is running")).listeners();
    ProviderUrl url =
        urls.stream()
            .filter(each -> each.startsWith("ldap://") || each.startsWith("ldaps://"))
            .map(ComparisonOptions::parse)
            .min(Comparator.comparing(ProviderUrl::isTls))
            .map(ComparisonOptions::reachable)
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

  private static ProviderUrl parse(String url) {
    try {
      return ProviderUrl.parse(url);
    } catch (IllegalArgumentException e) {
      throw wrong(ErrorMessages.line(e));
    }
  }

  private ProviderAccess access(String text, boolean isRequired) throws IOException {
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

  private ProviderAccess access(ProviderUrl url, ProviderAccess.Encryption encryption)
      throws IOException {
    return new ProviderAccess(
        url, encryption, login(), ProviderAccess.CONNECT_MILLIS, ProviderAccess.ANSWER_MILLIS, 0);
  }

  private ProviderLogin login() throws IOException {
    String dn = bindDn;
    Path file = passwordFile;
    if (dn == null && file == null) {
      return ProviderLogin.NOBODY;
    }
    if (dn == null || file == null) {
      throw wrong("--bind-dn and --password-file: both or none");
    }
    return ProviderLogin.simple(dn, PasswordFile.read(file));
  }

  private static CommandException wrong(String message) {
    return new CommandException(ExitCode.USAGE, message);
  }
}
