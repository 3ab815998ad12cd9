package org.nyala.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ClientView;

/** Checks that operations find names as their clients may know them. */
class ClientViewTest {
  private static final String OPERATIONS = "org.nyala.core.operation";

  /** The methods of a transaction that tell if there is an entry of a name. */
  private static final Set<String> LOOKUPS = Set.of("find", "distanceToNearest", "readAside");

  private static final String TURN = "the writer's turn, which tells through UpdateRights";
  private static final String ACCOUNT = "the server's own look at an account";

  /** The classes that look names up by themselves, and why; no others may begin to. */
  private static final Map<String, String> RAW =
      Map.ofEntries(
          Map.entry("update.UpdateRights", "asks for the rights to what it has found"),
          Map.entry("update.EntryPlacement", TURN),
          Map.entry("update.ModifyDnOperation", TURN),
          Map.entry("update.ModifyOperation", TURN),
          Map.entry("password.AdministeredAccount", TURN),
          Map.entry("AccountAdministration", "administration"),
          Map.entry("password.ClearPasswords", ACCOUNT),
          Map.entry("extended.PasswordModifyOperation", ACCOUNT),
          Map.entry("bind.ExternalProof", "nobody has bound yet: certificates name the entry"),
          Map.entry("bind.NameSearch", "nobody has bound yet: the configuration names the base"),
          Map.entry("bind.SaslBind", "nobody has bound yet"),
          Map.entry("dereference.NamedEntries", "asks for the rights to what it has found"),
          Map.entry("sync.SyncStage", "the base, which the client has searched from"),
          Map.entry("sync.EntriesAbove", "asks SyncContent about what it has found"));

  /** The classes that see all entries on behalf of the server, and why. */
  private static final Map<String, String> OF_SERVER =
      Map.of(
          "bind.AccountLookup", "a bind answers the same, whether there is an entry or not",
          "search.ExplainedSearch", "for root alone",
          "update.OwnPasswordCheck", "the client's own entry, before the writer decides");

  private static JavaClasses operations;

  @BeforeAll
  static void readClasses() {
    operations =
        ProductionClasses.SERVER.that(
            DescribedPredicate.describe(
                "are of operations",
                (JavaClass type) -> (type.getPackageName() + '.').startsWith(OPERATIONS + '.')));
    assertThat(operations).hasSizeGreaterThan(150);
  }

  private static String name(JavaClass each) {
    JavaClass outer = each;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer.getName().substring(OPERATIONS.length() + 1);
  }

  private static boolean isLookup(JavaCodeUnitAccess<?> access) {
    return access.getTargetOwner().isAssignableTo(ReadTransaction.class)
        && LOOKUPS.contains(access.getTarget().getName());
  }

  /** One that needs no exception any more is struck off the list. */
  @Test
  void shouldFindNamesThroughTheViewOfTheClient() {
    Set<String> raw = new TreeSet<>();
    for (JavaClass each : operations) {
      if (each.getCodeUnitAccessesFromSelf().stream().anyMatch(ClientViewTest::isLookup)) {
        raw.add(name(each));
      }
    }
    assertThat(raw).containsExactlyInAnyOrderElementsOf(RAW.keySet());
  }

  @Test
  void shouldSeeAllEntriesOnBehalfOfTheServerOnlyWhereNothingIsTold() {
    Set<String> all = new TreeSet<>();
    for (JavaClass each : operations) {
      each.getCodeUnitAccessesFromSelf().stream()
          .filter(access -> access.getTargetOwner().isEquivalentTo(ClientView.class))
          .filter(access -> access.getTarget().getName().equals("ofServer"))
          .forEach(_ -> all.add(name(each)));
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(OF_SERVER.keySet());
  }
}
