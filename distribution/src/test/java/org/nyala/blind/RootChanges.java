package org.nyala.blind;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.nyala.blind.Twins.Change;
import org.nyala.blind.Twins.Twin;

/**
 * Committed changes of root: the same ones of what clients see, and different ones of what they do
 * not see.
 *
 * <p>Confined to one thread.
 */
final class RootChanges {
  private static final int NEW_NAMES = 4;

  private final Twins twins;
  private final Lot lot;
  private final Comparison comparison;

  RootChanges(Twins twins, Lot lot, Comparison comparison) {
    this.twins = twins;
    this.lot = lot;
    this.comparison = comparison;
  }

  private String newName() {
    return "uid=new "
        + lot.random.nextInt(NEW_NAMES)
        + ","
        + lot.pick(List.of(Names.PEOPLE, Names.DESK));
  }

  private static Change entry(String... ldif) {
    try {
      Entry entry = new Entry(ldif);
      return root -> root.add(entry);
    } catch (LDIFException e) {
      throw new AssertionError(e);
    }
  }

  /** Changes the same on both. */
  void seen(String about) {
    if (twins.hides(Secret.VAULT) && lot.once(5)) {
      move(about);
    } else {
      Change change = seenChange();
      change(about, _ -> change);
    }
  }

  /** Moves an entry from a name that differs, and is hidden, to one that is seen, or back. */
  private void move(String about) {
    String seen = newName();
    int comma = seen.indexOf(',');
    String rdn = seen.substring(0, comma);
    String parent = seen.substring(comma + 1);
    if (lot.once(2)) {
      change(
          about,
          twin ->
              entry(
                  "dn: " + hiddenRdn(twin) + "," + Names.VAULT,
                  "objectClass: inetOrgPerson",
                  "cn: new",
                  "sn: new"));
      change(
          about,
          twin -> root -> root.modifyDN(hiddenRdn(twin) + "," + Names.VAULT, rdn, true, parent));
    } else {
      change(about, twin -> root -> root.modifyDN(seen, hiddenRdn(twin), true, Names.VAULT));
    }
    change(about, twin -> root -> root.delete(hiddenRdn(twin) + "," + Names.VAULT));
  }

  /** Names differ if they are hidden where they are values, too: entries may be members. */
  private String hiddenRdn(Twin twin) {
    return twin.isFirst() || !twins.hides(Secret.MEMBERS) ? "uid=one" : "uid=other";
  }

  private void change(String about, Function<Twin, Change> change) {
    List<Integer> codes = new ArrayList<>();
    twins.all().forEach(each -> codes.add(Twins.change(each, change.apply(each))));
    if (!codes.get(0).equals(codes.get(1))) {
      comparison.differ(about + " a change by root: " + codes, List.of(List.of(), List.of()));
    }
  }

  private Change seenChange() {
    String name = newName();
    String value = lot.value("title");
    return switch (lot.random.nextInt(6)) {
      case 0, 1 ->
          entry(
              "dn: " + name,
              "objectClass: inetOrgPerson",
              "uid: " + name.substring(4, 9),
              "cn: new",
              "sn: new",
              "title: " + value);
      case 2 -> root -> root.delete(name);
      case 3 -> {
        String other = newName();
        yield root ->
            root.modifyDN(
                name,
                other.substring(0, other.indexOf(',')),
                true,
                other.substring(other.indexOf(',') + 1));
      }
      case 4 -> {
        String group = lot.pick(Names.GROUP_NAMES);
        boolean adds = lot.once(2);
        yield root ->
            root.modify(
                group,
                new Modification(
                    adds ? ModificationType.ADD : ModificationType.DELETE, "member", name));
      }
      default -> {
        String person = lot.once(2) ? name : lot.pick(Names.PERSONS);
        yield root ->
            root.modify(person, new Modification(ModificationType.REPLACE, "title", value));
      }
    };
  }

  /** Changes what is hidden, differently. */
  void hidden() {
    if (!twins.hides(Secret.VAULT)) {
      return;
    }
    Modification last = new Modification(ModificationType.REPLACE, "l", "n " + twins.next());
    for (Twin each : twins.all()) {
      Change change = hiddenChange();
      Twins.change(each, change);
      // Both commit something: the number of the last change is told.
      Twins.change(each, root -> root.modify(Names.VAULT, last));
    }
  }

  private Change hiddenChange() {
    String name = "cn=x " + lot.random.nextInt(8) + "," + Names.VAULT;
    String value = lot.value("title");
    return switch (lot.random.nextInt(6)) {
      case 0, 1 ->
          entry(
              "dn: " + name,
              "objectClass: inetOrgPerson",
              "sn: hidden",
              "title: " + value,
              "manager: " + Names.ANN);
      case 2 -> root -> root.delete(name);
      case 3 -> {
        String rdn = "cn=x " + lot.random.nextInt(8);
        yield root -> root.modifyDN(name, rdn, true);
      }
      case 4 -> {
        String group = "cn=club " + lot.random.nextInt(3) + "," + Names.VAULT;
        String member = lot.seenName();
        boolean adds = lot.once(2);
        yield root ->
            root.modify(
                group,
                new Modification(
                    adds ? ModificationType.ADD : ModificationType.DELETE, "member", member));
      }
      default ->
          root -> root.modify(name, new Modification(ModificationType.REPLACE, "title", value));
    };
  }
}
