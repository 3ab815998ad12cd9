package org.nyala.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.nyala.core.rights.EntryRights;

/**
 * Checks that the groups that a client may read are decided on for one transaction, or anew: each
 * class that replaces the tests of groups in a filter is listed with the life of what it decides.
 */
class HiddenGroupsRuleTest {
  private static final Map<String, String> DECIDING =
      Map.of(
          "CompareOperation", "an assertion, tested next",
          "UpdateRights", "an assertion, decided on anew in the turn of the writer",
          "SearchRights", "a filter, which goes on with GroupRenewal");

  /** The classes that use what a search has decided, and by which. */
  private static final Map<String, String> SEARCHING =
      Map.of("SearchBase", "hideGroups", "GroupRenewal", "renew");

  @Test
  void shouldDecideOnGroupsForOneTransaction() {
    TreeSet<String> deciding = new TreeSet<>();
    TreeSet<String> searching = new TreeSet<>();
    for (JavaClass type : ProductionClasses.SERVER) {
      for (JavaCodeUnitAccess<?> access : type.getCodeUnitAccessesFromSelf()) {
        String owner = access.getTargetOwner().getSimpleName();
        String method = access.getTarget().getName();
        if (access.getTargetOwner().isEquivalentTo(EntryRights.class)
            && method.equals("hideGroups")) {
          deciding.add(outermost(type));
        } else if (owner.equals("SearchRights") && SEARCHING.containsValue(method)) {
          searching.add(outermost(type));
        }
      }
    }
    assertThat(deciding).isEqualTo(new TreeSet<>(DECIDING.keySet()));
    assertThat(searching).isEqualTo(new TreeSet<>(SEARCHING.keySet()));
  }

  private static String outermost(JavaClass each) {
    JavaClass outer = each;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer.getSimpleName();
  }
}
