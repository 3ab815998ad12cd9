package org.nyala.cli.running;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.ServerOptions;
import org.nyala.comparison.ServerComparison;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ReplicationSettings;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Mixin;
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

  @Mixin private ServerOptions servers = new ServerOptions();

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
    return base != null || servers.isAny() || limit != null || !ignored.isEmpty();
  }

  List<String> ignored() {
    return ignored;
  }

  int idleSeconds() {
    return servers.idleSeconds();
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
    boolean isRequired = ServerOptions.requiresEncryption(configuration);
    if (urls.size() == 2) {
      if (base == null) {
        throw wrong("sync compare URL URL takes --base");
      }
      return new Sides(
          servers.access(urls.getFirst(), isRequired),
          servers.access(urls.getLast(), isRequired),
          base);
    }
    ReplicationSettings copied =
        configuration
            .get()
            .updates()
            .replication()
            .orElseThrow(() -> wrong("sync compare: this server copies nothing: name two URLs"));
    ProviderAccess first =
        urls.isEmpty()
            ? servers.own(configuration.get(), running.get())
            : servers.access(urls.getFirst(), isRequired);
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

  private static CommandException wrong(String message) {
    return new CommandException(ExitCode.USAGE, message);
  }
}
