package org.nyala.cli.running;

import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ServerOptions;
import org.nyala.comparison.ServerComparison;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.management.bean.SyncMXBean.ContextEpoch;
import org.nyala.management.bean.SyncMXBean.Copy;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ReplicationSettings;
import org.nyala.replica.SuffixNames;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala sync}. */
@Command(
    name = "sync",
    description = {
      "Shows and controls the copy of another server's naming context (replication in the"
          + " configuration), and compares servers.",
      "Must be run as the server's user; compare by anyone who can read both servers."
    })
public final class SyncCommand extends DataCommand {
  private static final int DEFAULT_WAIT_SECONDS = 10;

  enum Action {
    status,
    confirm,
    retry,
    follow,
    compare
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = {
        "status: the phase of the copy, its lag, counts, the last failure. Exit code 0 if it"
            + " follows its provider, or was promoted.",
        "confirm NUMBER: allow the refresh that was stopped (replication.maximumDeletePercent), or"
            + " a provider that lacks changes of the copy, to lose NUMBER entries, which status"
            + " shows.",
        "retry: connect now, also after a refresh was stopped: access rules of the provider were"
            + " corrected, for one.",
        "follow: make a naming context that was promoted (nyala promote) a copy again. Its changes"
            + " end at once, with busy; refused if the provider lacks some of them.",
        "compare [URL [URL]]: print the entries by which two servers differ, by entryUUID. Without"
            + " the second URL the other one is the provider, with the identity of"
            + " replication.bind; without the first one, it is this server. Exit code 6 if they"
            + " differ. What changes meanwhile may show."
      })
  private Action action = Action.status;

  @Parameters(
      index = "1..*",
      arity = "0..2",
      paramLabel = "NUMBER|URL",
      description = "With compare: ldap://HOST[:PORT] or ldaps://HOST[:PORT].")
  private List<String> operands = List.of();

  @Option(
      names = "--suffix",
      paramLabel = "DN",
      description = "With confirm, retry and follow: the naming context, if several are copied.")
  private @Nullable String suffix;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      description =
          "With follow: the time for the provider to get all changes. Default: "
              + DEFAULT_WAIT_SECONDS
              + ".")
  private @Nullable Integer waitSeconds;

  @Option(
      names = "--force",
      description = "With follow: follow although the provider lacks changes, which differ then.")
  private boolean force;

  @Mixin private ComparisonOptions comparison = new ComparisonOptions();

  @Override
  public Integer call() throws IOException {
    requireFitting();
    if (action == Action.compare) {
      return compare();
    }
    return manage(
        server -> {
          SyncMXBean sync = server.sync();
          return switch (action) {
            case confirm -> confirm(sync);
            case retry -> retry(sync);
            case follow -> follow(sync);
            default -> status(sync);
          };
        });
  }

  /** Requires that the action takes the options that were given. */
  private void requireFitting() {
    if (action != Action.compare && comparison.isAny()) {
      throw wrongUsage("--base, --limit and the like are for compare");
    }
    if (action != Action.follow && (force || waitSeconds != null)) {
      throw wrongUsage("--force and --wait are for follow");
    }
    if (suffix != null && (action == Action.status || action == Action.compare)) {
      throw wrongUsage("--suffix is for confirm, retry and follow");
    }
    if (!operands.isEmpty() && action != Action.compare && action != Action.confirm) {
      throw wrongUsage("NUMBER is for confirm, and URLs are for compare");
    }
  }

  private int follow(SyncMXBean sync) {
    int seconds = waitSeconds == null ? DEFAULT_WAIT_SECONDS : waitSeconds;
    PromoteCommand.requireBounded(seconds);
    return PromoteCommand.show(
        out(), sync.follow(chosen(sync.getCopies(), suffix).suffix(), force, seconds, caller()));
  }

  private int status(SyncMXBean sync) {
    List<Copy> copies = sync.getCopies();
    List<ContextEpoch> epochs = sync.getEpochs();
    if (copies.isEmpty()) {
      out().println("this server copies nothing");
    }
    boolean isFollowing = epochs.stream().noneMatch(ContextEpoch::isSuperseded);
    for (Copy copy : copies) {
      boolean isPromoted = copy.phase().equals("promoted");
      isFollowing &= copy.ready() && (copy.phase().equals("following") || isPromoted);
      out().println("suffix      " + copy.suffix());
      out().println("provider    " + copy.provider());
      out().println("phase       " + copy.phase());
      show("connected   since ", copy.connectedSince());
      if (!isPromoted) {
        out().println("lag         " + lag(copy));
        out().println("ready       " + (copy.ready() ? "yes" : "no"));
      }
      out().println("received    " + copy.received() + " entries");
      out().println("written     " + copy.written() + " changes");
      out().println("queued      " + copy.queued());
      if (copy.waiting() > 0) {
        out().println("waiting     " + copy.waiting() + " entries for their parents");
      }
      if (copy.guarded() > 0) {
        out()
            .println(
                "guarded     "
                    + copy.guarded()
                    + " entries may be lost: nyala sync confirm "
                    + copy.guarded()
                    + ", or retry");
      }
      show("contextCSN  ", String.join(" ", copy.csns()));
      if (!copy.error().isEmpty()) {
        String when = copy.failed().isEmpty() ? "" : copy.failed() + " ";
        out().println("last error  " + when + copy.error());
      }
    }
    epochs.forEach(this::show);
    return isFollowing ? ExitCode.OK : ExitCode.FAILED;
  }

  private void show(ContextEpoch epoch) {
    if (epoch.epoch() == 0 && !epoch.isSuperseded()) {
      return;
    }
    out().println("epoch       " + epoch.epoch() + " of " + epoch.suffix() + writer(epoch));
    if (epoch.isSuperseded()) {
      out()
          .println(
              "superseded  by epoch " + epoch.otherEpoch() + " of server " + epoch.otherWriter());
      out().println("remedy      " + epoch.remedy());
    }
  }

  private static String writer(ContextEpoch epoch) {
    return epoch.epoch() == 0 ? "" : ", changed by server " + epoch.writer();
  }

  private void show(String label, String text) {
    if (!text.isEmpty()) {
      out().println(label + text);
    }
  }

  private static String lag(Copy copy) {
    return copy.lagSeconds() < 0
        ? "not up to date since the start"
        : "up to date " + copy.lagSeconds() + " s ago";
  }

  private int confirm(SyncMXBean sync) {
    Copy copy = chosen(sync.getCopies(), suffix);
    if (copy.guarded() == 0) {
      throw CommandException.failed("no refresh of " + copy.suffix() + " was stopped");
    }
    if (operands.size() != 1 || !operands.getFirst().equals(Long.toString(copy.guarded()))) {
      throw CommandException.failed(
          "what was stopped for "
              + copy.suffix()
              + " may lose "
              + copy.guarded()
              + " entries: nyala sync confirm "
              + copy.guarded());
    }
    sync.confirm(copy.suffix(), copy.guarded(), caller());
    out().println("the next refresh may lose " + copy.guarded() + " entries");
    return ExitCode.OK;
  }

  private int retry(SyncMXBean sync) {
    Copy copy = chosen(sync.getCopies(), suffix);
    sync.retry(copy.suffix(), caller());
    out().println("connects to " + copy.provider());
    return ExitCode.OK;
  }

  /** Returns the copy that is named, or the only one. */
  static Copy chosen(List<Copy> copies, @Nullable String wanted) {
    List<Copy> fitting =
        copies.stream()
            .filter(each -> wanted == null || SuffixNames.isSame(each.suffix(), wanted))
            .toList();
    if (fitting.size() != 1) {
      throw CommandException.failed(
          copies.isEmpty()
              ? "this server copies nothing"
              : "choose one with --suffix: "
                  + String.join(", ", copies.stream().map(Copy::suffix).toList()));
    }
    return fitting.getFirst();
  }

  private int compare() throws IOException {
    if (operands.size() > 2) {
      throw wrongUsage("sync compare: two URLs at most");
    }
    ComparisonOptions.Sides sides =
        comparison.sides(
            operands, () -> data().configuration(), () -> data().runDirectory().holder());
    try {
      ServerComparison compared =
          new ServerComparison(
              sides.first(),
              sides.second(),
              sides.base(),
              comparison.ignored(),
              comparison.limit(),
              out()::println,
              comparison.idleSeconds());
      compared.run();
      out()
          .println(
              compared.compared()
                  + " entries are at both servers, "
                  + compared.different()
                  + " differ or are at one only"
                  + compared.omissions().stream()
                      .map(each -> "; " + each)
                      .collect(Collectors.joining()));
      return compared.different() == 0 ? ExitCode.OK : ExitCode.UNSOUND;
    } catch (LDAPException | IllegalStateException e) {
      throw CommandException.failed(ErrorMessages.printable(ErrorMessages.line(e)));
    }
  }

  /**
   * The options of a comparison of two servers.
   *
   * <p>Confined to the thread that executes the command.
   */
  static final class ComparisonOptions {
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
      return CommandException.usage(message);
    }
  }
}
