package org.nyala.cli.running;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ServerOptions;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.replica.ProviderAccess;
import org.nyala.replica.ProviderConnection;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The base of the commands that change all entries that match a filter, over LDAP.
 *
 * <p>Confined to the thread that executes the command.
 */
abstract class FilteredCommand extends DataCommand {
  private static final Map<String, SearchScope> SCOPES =
      Map.of(
          "base", SearchScope.BASE,
          "one", SearchScope.ONE,
          "sub", SearchScope.SUB,
          "children", SearchScope.SUBORDINATE_SUBTREE);
  private static final int MOST_PAGE = 10_000;
  private static final int MOST_RATE = 1_000_000;

  @Option(
      names = "--filter",
      paramLabel = "FILTER",
      required = true,
      description = "The entries to change, by a filter as RFC 4515 writes it.")
  private String filter = "";

  @Option(names = "--base", paramLabel = "DN", required = true, description = "Below this entry.")
  private String base = "";

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      description =
          "base, one, sub (the entry and all below it) or children (without it). Default:"
              + " ${DEFAULT-VALUE}.")
  private String scope = "sub";

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The server: ldap://HOST[:PORT] or ldaps://HOST[:PORT]. Default: this one.")
  private @Nullable String url;

  @Mixin private ServerOptions servers = new ServerOptions();

  @Option(names = "--dry-run", description = "Count the entries; change nothing.")
  private boolean isTrial;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "The most changes in a second; 0 for no bound. Default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--page",
      paramLabel = "N",
      description = "The entries that are searched at once, 1 to 10000. Default: ${DEFAULT-VALUE}.")
  private int page = 500;

  @Option(
      names = "--failures",
      paramLabel = "N",
      description = "End after so many refused changes. Default: ${DEFAULT-VALUE}.")
  private int failures = 100;

  @Option(
      names = "--busy-seconds",
      paramLabel = "SECONDS",
      description =
          "End when the server has answered busy (51) for so long; the pauses between tries grow to"
              + " five seconds. Default: ${DEFAULT-VALUE}.")
  private int busySeconds = 600;

  /** Returns whether nothing is to be changed. */
  final boolean isTrial() {
    return isTrial;
  }

  /** Returns the search for the entries, for some of their attributes. */
  final SearchRequest search(String... attributes) {
    SearchScope found = SCOPES.get(scope);
    if (found == null) {
      throw wrongUsage("--scope: expected base, one, sub or children");
    }
    try {
      return new SearchRequest(base, found, filter, attributes);
    } catch (LDAPException e) {
      throw wrongUsage("--filter: " + ErrorMessages.printable(ErrorMessages.line(e)));
    }
  }

  /** Carries out the changes, and prints what was done. */
  abstract void change(BulkChanges changes) throws LDAPException;

  @Override
  public final Integer call() throws IOException {
    requireRange(spec(), "--rate", rate, 0, MOST_RATE);
    requireRange(spec(), "--page", page, 1, MOST_PAGE);
    requireRange(spec(), "--failures", failures, 1, Integer.MAX_VALUE);
    requireRange(spec(), "--busy-seconds", busySeconds, 0, Integer.MAX_VALUE);
    BulkChanges.Bounds bounds =
        new BulkChanges.Bounds(page, rate, busySeconds, failures, servers.idleSeconds());
    try (ProviderConnection open = ProviderConnection.open(access(), _ -> {})) {
      BulkChanges changes = new BulkChanges(open.connection(), bounds, progress(), err());
      change(changes);
      return changes.failed() == 0 && changes.takeHeld().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
    } catch (LDAPException e) {
      throw CommandException.failed(
          ErrorMessages.printable(e.getResultCode() + ": " + ErrorMessages.line(e)));
    }
  }

  private ProviderAccess access() throws IOException {
    return url == null
        ? servers.own(data().configuration(), data().runDirectory().holder())
        : servers.access(url, ServerOptions.requiresEncryption(() -> data().configuration()));
  }
}
