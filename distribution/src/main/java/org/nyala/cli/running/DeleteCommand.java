package org.nyala.cli.running;

import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import java.util.Comparator;
import java.util.List;
import org.nyala.error.ErrorMessages;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala delete}. */
@Command(
    name = "delete",
    description = {
      "Deletes all entries that match a filter, over LDAP, some at a time. An entry with children"
          + " goes when all of these match, too, and are gone, or with --subtree.",
      "It may be ended at any time: what is deleted is deleted. Run again, it searches again for"
          + " what still matches, and goes on with that. Exit code 1 if entries are left.",
      "Takes an identity that may delete the entries, and whose searches have no size limit; root"
          + " is one."
    })
public final class DeleteCommand extends FilteredCommand {
  private static final int MOST_SHOWN = 20;

  @Option(
      names = "--subtree",
      description = "Delete each entry with all that is below it, children first.")
  private boolean isOfSubtrees;

  @Override
  void change(BulkChanges changes) throws LDAPException {
    if (isTrial()) {
      changes.pass(search(SearchRequest.NO_ATTRIBUTES), _ -> List.of());
      out().println(changes.found() + " entries match; nothing was deleted");
      return;
    }
    deleteAll(changes, search(SearchRequest.NO_ATTRIBUTES));
    List<String> held = changes.takeHeld();
    if (isOfSubtrees) {
      for (String each : held) {
        deleteBelow(changes, each);
      }
      held = List.of();
    }
    changes.finish();
    out().println(changes.done() + " entries were deleted");
    if (changes.failed() > 0) {
      err().println("nyala: " + changes.failed() + " could not be");
    }
    report(held);
    // The exit code counts them.
    changes.hold(held);
  }

  private void report(List<String> held) {
    if (!held.isEmpty()) {
      err().println("nyala: " + held.size() + " have children that do not match: --subtree");
      held.stream()
          .limit(MOST_SHOWN)
          .forEach(each -> err().println("nyala: " + ErrorMessages.printable(each)));
    }
  }

  /** Goes over the entries until no pass deletes any; those that are left have children. */
  private static void deleteAll(BulkChanges changes, SearchRequest search) throws LDAPException {
    SearchRequest again = search.duplicate();
    long before;
    do {
      before = changes.done();
      List<String> _ = changes.takeHeld();
      changes.pass(again.duplicate(), DeleteCommand::deepestFirst);
    } while (changes.hasHeld() && changes.done() > before);
  }

  private static List<DeleteRequest> deepestFirst(List<SearchResultEntry> page) {
    return page.stream()
        .sorted(Comparator.comparingInt(DeleteCommand::depth).reversed())
        .map(DeleteCommand::request)
        .toList();
  }

  private static DeleteRequest request(SearchResultEntry entry) {
    DeleteRequest request = new DeleteRequest(entry.getDN());
    request.addControl(new ManageDsaITRequestControl(false));
    return request;
  }

  private static int depth(SearchResultEntry entry) {
    try {
      return entry.getParsedDN().getRDNs().length;
    } catch (LDAPException _) {
      return 0;
    }
  }

  private static void deleteBelow(BulkChanges changes, String name) throws LDAPException {
    SearchRequest all =
        new SearchRequest(
            name,
            SearchScope.SUB,
            Filter.createPresenceFilter("objectClass"),
            SearchRequest.NO_ATTRIBUTES);
    SearchRequest subentries = all.duplicate();
    subentries.addControl(new RFC3672SubentriesRequestControl(true));
    changes.pass(subentries, DeleteCommand::deepestFirst);
    deleteAll(changes, all);
  }
}
