package org.nyala.cli.running;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PermissiveModifyRequestControl;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala modify}. */
@Command(
    name = "modify",
    description = {
      "Makes the same changes to all entries that match a filter, over LDAP, some at a time.",
      "It may be ended at any time: each entry has all of the changes or none. Run again, it"
          + " searches again, and passes over entries that have all values as they are to be; so"
          + " it does within a run. Exit code 1 if the server has refused some.",
      "Takes an identity that may read and change the attributes, and whose searches have no size"
          + " limit; root is one."
    })
public final class ModifyCommand extends FilteredCommand {
  @Option(
      names = "--replace",
      paramLabel = "ATTR=VALUE",
      description = "Give the attribute this value alone; several times for several values.")
  private List<String> replaced = List.of();

  @Option(
      names = "--add",
      paramLabel = "ATTR=VALUE",
      description = "Add this value, where it is not there.")
  private List<String> added = List.of();

  @Option(
      names = "--remove",
      paramLabel = "ATTR[=VALUE]",
      description = "Remove this value, or the attribute, where it is there.")
  private List<String> removed = List.of();

  /** A change of an attribute; no values for all of them. */
  private record Change(ModificationType type, String attribute, List<String> values) {
    private boolean isMade(SearchResultEntry entry) {
      String[] present = entry.getAttributeValues(attribute);
      Set<String> all = present == null ? Set.of() : Set.of(present);
      if (type == ModificationType.REPLACE) {
        return all.equals(Set.copyOf(values));
      }
      boolean isAdded = type == ModificationType.ADD;
      return values.isEmpty()
          ? all.isEmpty()
          : values.stream().allMatch(value -> entry.hasAttributeValue(attribute, value) == isAdded);
    }

    private Modification modification() {
      return new Modification(type, attribute, values.toArray(String[]::new));
    }
  }

  @Override
  void change(BulkChanges changes) throws LDAPException {
    List<Change> wanted = wanted();
    Set<String> attributes = new TreeSet<>();
    wanted.forEach(each -> attributes.add(each.attribute()));
    long[] due = new long[1];
    changes.pass(
        search(attributes.toArray(String[]::new)),
        page -> {
          List<ModifyRequest> requests =
              page.stream()
                  .filter(entry -> !wanted.stream().allMatch(each -> each.isMade(entry)))
                  .map(entry -> request(entry, wanted))
                  .toList();
          due[0] += requests.size();
          return isTrial() ? List.of() : requests;
        });
    changes.finish();
    long made = changes.found() - due[0];
    if (isTrial()) {
      out()
          .println(
              changes.found()
                  + " entries match, of which "
                  + made
                  + " are as they are to be; nothing was changed");
      return;
    }
    out().println(changes.done() + " entries were changed, " + made + " were as they are to be");
    if (changes.failed() > 0) {
      err().println("nyala: " + changes.failed() + " could not be changed");
    }
  }

  private static ModifyRequest request(SearchResultEntry entry, List<Change> wanted) {
    ModifyRequest request =
        new ModifyRequest(entry.getDN(), wanted.stream().map(Change::modification).toList());
    request.addControl(new ManageDsaITRequestControl(false));
    request.addControl(new PermissiveModifyRequestControl(true));
    return request;
  }

  private List<Change> wanted() {
    Map<String, Change> all = new LinkedHashMap<>();
    replaced.forEach(each -> put("--replace", ModificationType.REPLACE, each, all));
    added.forEach(each -> put("--add", ModificationType.ADD, each, all));
    removed.forEach(each -> put("--remove", ModificationType.DELETE, each, all));
    if (all.isEmpty()) {
      throw wrongUsage("modify: name a change, by --replace, --add or --remove");
    }
    return List.copyOf(all.values());
  }

  /** Puts a value to others of the same attribute and kind. */
  private void put(String option, ModificationType type, String text, Map<String, Change> all) {
    int equals = text.indexOf('=');
    String attribute = equals < 0 ? text : text.substring(0, equals);
    if (attribute.isEmpty() || equals < 0 && type != ModificationType.DELETE) {
      throw wrongUsage(option + ": expected ATTR=VALUE");
    }
    List<String> value = equals < 0 ? List.of() : List.of(text.substring(equals + 1));
    all.merge(
        option + attribute.toLowerCase(Locale.ROOT),
        new Change(type, attribute, value),
        (before, further) -> {
          List<String> values = new ArrayList<>(before.values());
          values.addAll(further.values());
          return new Change(type, attribute, values);
        });
  }
}
