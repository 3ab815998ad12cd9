package org.nyala.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.ClientView;

/**
 * Checks that operations find names, and read entries, as their clients may know them: through
 * {@code ClientView} and {@code SeenEntries}. The raw transaction is for the writer, whose turn has
 * a {@code WriteTransaction}, and for the classes that are listed.
 */
class ClientViewTest {
  /** The methods of a transaction that tell nothing of its entries; all others read. */
  private static final Set<String> SILENT =
      Set.of("attributes", "snapshot", "mayHoldReferralsOrAliases", "close");

  private static final String ACCOUNT = "the server's own look at an account";

  /** The classes that read a store by themselves, and why; no others may begin to. */
  private static final Map<String, String> RAW =
      Map.ofEntries(
          Map.entry("search.SeenEntries", "the view of searches: rights before anything is told"),
          Map.entry("values.ComputedValues", "the values and counts that others select by rights"),
          Map.entry("dereference.NamedEntries", "asks for the rights to what it has found"),
          Map.entry("dynamic.LifetimeRules", "the entry above a new one, in the writer's turn"),
          Map.entry("list.SortOrder", "the index of a key that the client may search everywhere"),
          Map.entry("sync.SyncStage", "the journal, where SyncContent lets the client have it"),
          Map.entry("sync.LogStage", "the log, for which a client needs a right of its own"),
          Map.entry("update.UpdateRights", "asks for the rights to what it has found"),
          Map.entry("update.EntryPlacement", "tells through UpdateRights"),
          Map.entry("AccountAdministration", "administration"),
          Map.entry("AccountScan", "administration"),
          Map.entry("password.AccountGuard", ACCOUNT),
          Map.entry("password.ClearPasswords", ACCOUNT),
          Map.entry("password.RecordedFailures", ACCOUNT),
          Map.entry("update.ModifyOperation", "an account, after the rights to its password"),
          Map.entry("bind.NameSearch", "nobody has bound yet: the configuration names the base"),
          Map.entry("bind.SaslBind", "nobody has bound yet"));

  /** The classes that see all entries on behalf of the server, and why. */
  private static final Map<String, String> OF_SERVER =
      Map.of(
          "bind.AccountLookup", "a bind answers the same, whether there is an entry or not",
          "search.ExplainedSearch", "for root alone",
          "update.OwnPasswordCheck", "the client's own entry, before the writer decides");

  /** Returns whether an access reads a store; that of the writer by its type is its own. */
  private static boolean isRaw(JavaCodeUnitAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    String method = access.getTarget().getName();
    return owner.isAssignableTo(ReadTransaction.class)
            && !owner.isAssignableTo(WriteTransaction.class)
            && !SILENT.contains(method)
        || owner.isAssignableTo(EntryCursor.class) && method.equals("next") && !isOfWriter(access)
        || owner.isAssignableTo(Backend.class) && method.equals("beginWrite");
  }

  /** Returns whether the class of an access opens its cursors in the writer's turn. */
  private static boolean isOfWriter(JavaCodeUnitAccess<?> access) {
    return access.getOriginOwner().getCodeUnitAccessesFromSelf().stream()
        .anyMatch(
            each ->
                each.getTargetOwner().isAssignableTo(WriteTransaction.class)
                    && each.getTarget().getName().equals("search"));
  }

  /** One that needs no exception any more is struck off the list. */
  @Test
  void shouldReadThroughTheViewOfTheClient() {
    assertThat(ProductionClasses.OPERATING).hasSizeGreaterThan(150);
    Set<String> raw = new TreeSet<>();
    for (JavaClass each : ProductionClasses.OPERATING) {
      if (each.getCodeUnitAccessesFromSelf().stream().anyMatch(ClientViewTest::isRaw)) {
        raw.add(ProductionClasses.operation(each));
      }
    }
    assertThat(raw).containsExactlyInAnyOrderElementsOf(RAW.keySet());
  }

  @Test
  void shouldSeeAllEntriesOnBehalfOfTheServerOnlyWhereNothingIsTold() {
    Set<String> all = new TreeSet<>();
    for (JavaClass each : ProductionClasses.OPERATING) {
      each.getCodeUnitAccessesFromSelf().stream()
          .filter(access -> access.getTargetOwner().isEquivalentTo(ClientView.class))
          .filter(access -> access.getTarget().getName().equals("ofServer"))
          .forEach(_ -> all.add(ProductionClasses.operation(each)));
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(OF_SERVER.keySet());
  }
}
