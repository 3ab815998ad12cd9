package org.nyala.cli.running;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.PasswordFile;
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
      description = "With compare: certificates (PEM) to trust, instead of the Java runtime's.")
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
  private int limit = ServerComparison.SHOWN;

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
        || !ignored.isEmpty();
  }

  List<String> ignored() {
    return ignored;
  }

  int limit() {
    return limit;
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
    if (limit < 0) {
      throw wrong("--limit: expected 0 or more");
    }
    if (urls.size() == 2) {
      if (base == null) {
        throw wrong("sync compare URL URL takes --base");
      }
      return new Sides(access(urls.getFirst()), access(urls.getLast()), base);
    }
    ReplicationSettings copied =
        configuration
            .get()
            .updates()
            .replication()
            .orElseThrow(() -> wrong("sync compare: this server copies nothing: name two URLs"));
    String url = urls.isEmpty() ? listener(running.get()) : urls.getFirst();
    return new Sides(access(url), copied.provider(), top(copied, configuration.get()));
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

  /** Returns the URL of a listener that can be reached from here. */
  private static String listener(Optional<RunDirectory.Holder> running) {
    List<String> urls =
        running.orElseThrow(() -> CommandException.failed("no server is running")).listeners();
    return urls.stream()
        .filter(url -> !url.startsWith("ldapi"))
        .map(url -> url.replace("//0.0.0.0:", "//127.0.0.1:"))
        .min(Comparator.comparing(url -> url.startsWith("ldaps")))
        .orElseThrow(() -> CommandException.failed("this server listens on no port"));
  }

  private ProviderAccess access(String url) throws IOException {
    ProviderUrl parsed;
    try {
      parsed = ProviderUrl.parse(url);
    } catch (IllegalArgumentException e) {
      throw wrong(ErrorMessages.line(e));
    }
    ProviderAccess access =
        new ProviderAccess(
            parsed,
            new ProviderAccess.Encryption(
                startTls && !parsed.isTls(), true, certificates, true, null),
            login(),
            ProviderAccess.CONNECT_MILLIS,
            ProviderAccess.ANSWER_MILLIS,
            0);
    if (access.isExposed()) {
      throw wrong(
          "entries and passwords would cross the network in clear text to "
              + parsed
              + ": use ldaps://, or --start-tls");
    }
    return access;
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
