package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.DeleteRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.SubtreeDeleteRequestControl;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A small tree that changes at random: entries come and go, move with what is below them, and
 * people take the names of others. Units do not: a copy that lacks several changes cannot tell one
 * that has given its name away from the one that has it, and neither can be deleted first. Nor is a
 * unit renamed as long as it is the newest entry and has others below it, which slapd cannot. Where
 * refreshes are cut, units are not renamed while they are empty: slapd may be left with some that
 * it cannot rename, as the manual says.
 */
public final class RandomTree {
  static final String TOP = "dc=example,dc=com";
  static final String HOME = "ou=home," + TOP;
  static final String REPLICATOR = "uid=replicator," + TOP;

  /** A number of names that are used again and again. */
  public static final int FEW = 5;

  /** A number of names that are hardly used twice; units then keep theirs. */
  public static final int MANY = 100_000_000;

  private static final String NOBODY = "uid=nobody," + TOP;
  private static final List<String> WORDS = List.of("a", "b", "c");

  private final long seed;
  private final Random random;
  private final int names;
  private final LDAPConnection root;

  /** The identifiers of the entries that were added, the newest last. */
  private final List<String> added;

  private boolean areRefreshesCut;

  private RandomTree(LDAPConnection root, long seed, Random random, int names, List<String> added) {
    this.added = added;
    this.names = names;
    this.seed = seed;
    this.random = random;
    this.root = root;
  }

  /**
   * Adds the entries that stay.
   *
   * @param names the number of names; if there are few, entries take those of others
   */
  public RandomTree(long seed, Random random, int names, LDAPConnection root) throws Exception {
    this(root, seed, random, names, new ArrayList<>());
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    root.add("dn: " + HOME, "objectClass: organizationalUnit", "ou: home");
    root.add(
        "dn: " + REPLICATOR,
        "objectClass: inetOrgPerson",
        "uid: replicator",
        "cn: R",
        "sn: R",
        "userPassword: secret");
  }

  /** Returns the tree as another connection changes it. */
  public RandomTree by(LDAPConnection other) {
    RandomTree same = new RandomTree(other, seed, random, names, added);
    same.areRefreshesCut = areRefreshesCut;
    return same;
  }

  /** Has units renamed only with entries below them. */
  RandomTree withRefreshesCut() {
    areRefreshesCut = true;
    return this;
  }

  private List<String> names(String filter) throws LDAPException {
    List<String> names = new ArrayList<>();
    for (SearchResultEntry entry :
        root.search(TOP, SearchScope.SUB, filter, "1.1").getSearchEntries()) {
      if (!entry.getDN().equals(TOP)
          && !entry.getDN().equals(HOME)
          && !entry.getDN().equals(REPLICATOR)) {
        names.add(entry.getDN());
      }
    }
    return names;
  }

  private String word() {
    return WORDS.get(random.nextInt(WORDS.size()));
  }

  private String one(List<String> names, String other) {
    return names.isEmpty() ? other : names.get(random.nextInt(names.size()));
  }

  private String parent() throws LDAPException {
    List<String> units = names("(objectClass=organizationalUnit)");
    units.add(TOP);
    units.add(HOME);
    return one(units, TOP);
  }

  /** Changes something; refusals are part of it. */
  public void change() throws Exception {
    try {
      switch (random.nextInt(12)) {
        case 0, 1 -> addUnit();
        case 2, 3, 4 -> addPerson();
        case 5, 6 -> describe();
        case 7 -> root.delete(one(names("(objectClass=inetOrgPerson)"), NOBODY));
        case 8 -> rename(one(names("(objectClass=*)"), NOBODY), null);
        case 9 -> rename(one(names("(objectClass=*)"), NOBODY), parent());
        case 10 -> swap();
        default -> deleteTree();
      }
    } catch (LDAPException e) {
      // It does not exist, has entries below, exists already, or would be below itself; and slapd
      // does not delete trees.
      assertThat(e.getResultCode().intValue())
          .as("seed %d: %s", seed, e.toString())
          .isIn(12, 32, 53, 64, 66, 68);
    }
  }

  private void addUnit() throws Exception {
    String ou = "u" + random.nextInt(MANY);
    String name = "ou=" + ou + "," + parent();
    root.add(
        "dn: " + name, "objectClass: organizationalUnit", "ou: " + ou, "description: " + word());
    added.add(uuid(name));
  }

  private void addPerson() throws Exception {
    String uid = "p" + random.nextInt(names);
    String name = "uid=" + uid + "," + parent();
    root.add(
        "dn: " + name,
        "objectClass: inetOrgPerson",
        "uid: " + uid,
        "cn: P",
        "sn: P",
        "telephoneNumber: " + random.nextInt(100),
        "description: " + word());
    added.add(uuid(name));
  }

  private String uuid(String name) throws LDAPException {
    return root.getEntry(name, "entryUUID").getAttributeValue("entryUUID");
  }

  /**
   * Returns whether a unit has entries below it, and is the newest entry of all. slapd's back-mdb
   * cannot rename one: the answer is other (80), however often it is tried.
   */
  private boolean isNewestWithEntries(String name) throws LDAPException {
    SearchResultEntry unit = root.getEntry(name, "entryUUID");
    if (unit == null || isEmpty(name)) {
      return false;
    }
    List<String> there = new ArrayList<>();
    for (SearchResultEntry each :
        root.search(TOP, SearchScope.SUB, "(objectClass=*)", "entryUUID").getSearchEntries()) {
      there.add(each.getAttributeValue("entryUUID"));
    }
    String newest = "";
    for (String each : added) {
      newest = there.contains(each) ? each : newest;
    }
    return newest.equals(unit.getAttributeValue("entryUUID"));
  }

  private boolean isEmpty(String name) throws LDAPException {
    return root.search(name, SearchScope.ONE, "(objectClass=*)", "1.1").getEntryCount() == 0;
  }

  private void describe() throws LDAPException {
    String name = one(names("(objectClass=*)"), NOBODY);
    root.modify(name, new Modification(ModificationType.REPLACE, "description", word()));
  }

  private void rename(String name, String superior) throws LDAPException {
    boolean isUnit = name.startsWith("ou=");
    if (isUnit && names > FEW) {
      return;
    }
    String rdn = isUnit ? "ou=u" + random.nextInt(MANY) : "uid=p" + random.nextInt(names);
    if (isUnit && (isNewestWithEntries(name) || areRefreshesCut && isEmpty(name))) {
      return;
    }
    root.modifyDN(name, rdn, true, superior);
  }

  /** Swaps the names of two entries, or of one and one that is new. */
  private void swap() throws LDAPException {
    List<String> people = names("(objectClass=inetOrgPerson)");
    if (people.isEmpty() || names > FEW) {
      return;
    }
    String one = one(people, NOBODY);
    String other = one(people, NOBODY);
    DN oneName = new DN(one);
    DN otherName = new DN(other);
    root.modifyDN(one, "uid=between", true, TOP);
    if (!oneName.equals(otherName)) {
      root.modifyDN(other, oneName.getRDNString(), true, oneName.getParentString());
    }
    root.modifyDN(
        "uid=between," + TOP, otherName.getRDNString(), true, otherName.getParentString());
  }

  private void deleteTree() throws LDAPException {
    DeleteRequest request = new DeleteRequest(one(names("(ou=*)"), NOBODY));
    request.addControl(new SubtreeDeleteRequestControl());
    root.delete(request);
  }
}
