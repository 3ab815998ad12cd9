package org.nyala.loadtest.failover;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * The entry that a test creates, and the entries below it: organizational units, whose names are
 * numbers. Four attributes of each have one and the same number, that of the last change, so that a
 * part of a change shows.
 *
 * <p>Immutable.
 *
 * @param base the DN of the entry that the test creates
 */
record Tree(String base) {
  /** The attributes that a change has its number in; usual schemas have them, without indexes. */
  private static final List<String> ATTRIBUTES =
      List.of("description", "street", "st", "physicalDeliveryOfficeName");

  private static final String RDN = "ou=";
  private static final int ONE_LEVEL = 1;
  private static final int BASE = 0;

  Tree {
    LoadSettings.require(
        base.regionMatches(true, 0, RDN, 0, RDN.length())
            && base.indexOf(',') > RDN.length()
            && base.substring(0, base.indexOf(',')).matches("[oO][uU]=[A-Za-z0-9 _.-]+"),
        "--base",
        "the DN of an entry to create, ou=NAME,PARENT with a name of letters and digits",
        base);
  }

  /**
   * The numbers in the attributes of an entry.
   *
   * @param number the number in all of them; {@link Operations#HALF} if they differ
   * @param text the values in words if they differ; otherwise empty
   */
  record State(int number, String text) {}

  String dn(int entry) {
    return RDN + entry + ',' + base;
  }

  /** Returns the DN of the entry that must be there. */
  String parent() {
    return base.substring(base.indexOf(',') + 1);
  }

  byte[] addBase() {
    return Pdu.add(
        base,
        Pdu.attribute("objectClass", "top", "organizationalUnit"),
        Pdu.attribute("ou", base.substring(RDN.length(), base.indexOf(','))));
  }

  byte[] readBase() {
    return search(base, BASE);
  }

  byte[] deleteBase() {
    return Pdu.delete(base);
  }

  byte[] add(int entry, int number) {
    List<byte[]> attributes = new ArrayList<>();
    attributes.add(Pdu.attribute("objectClass", "top", "organizationalUnit"));
    attributes.add(Pdu.attribute("ou", Integer.toString(entry)));
    for (String name : ATTRIBUTES) {
      attributes.add(Pdu.attribute(name, Integer.toString(number)));
    }
    return Pdu.add(dn(entry), attributes.toArray(byte[][]::new));
  }

  /** Replaces the number of an entry, whatever it is. */
  byte[] replace(int entry, int number) {
    String value = Integer.toString(number);
    return Pdu.modify(
        dn(entry),
        ATTRIBUTES.stream().map(name -> Pdu.change(2, name, value)).toArray(byte[][]::new));
  }

  /** Replaces the number of an entry if it is still the one that it was. */
  byte[] exchange(int entry, int before, int number) {
    List<byte[]> changes = new ArrayList<>();
    for (String name : ATTRIBUTES) {
      changes.add(Pdu.change(1, name, Integer.toString(before)));
      changes.add(Pdu.change(0, name, Integer.toString(number)));
    }
    return Pdu.modify(dn(entry), changes.toArray(byte[][]::new));
  }

  byte[] delete(int entry) {
    return Pdu.delete(dn(entry));
  }

  byte[] read(int entry) {
    return search(dn(entry), BASE);
  }

  /** Searches all entries below the base. */
  byte[] scan() {
    return search(base, ONE_LEVEL);
  }

  private static byte[] search(String dn, int scope) {
    return Pdu.loggedSearch(dn, scope, 0, Pdu.anything(), ATTRIBUTES.toArray(String[]::new));
  }

  /**
   * Returns the number in the name of an entry below the base, or -1 if it is none.
   *
   * @param dn its DN as the server writes it
   */
  static int entry(String dn) {
    int from = dn.indexOf('=') + 1;
    int to = dn.indexOf(',', from);
    return from > 0 && to > from ? number(dn.substring(from, to).strip()) : -1;
  }

  /** Returns what the attributes of an entry have. */
  static State state(Map<String, List<String>> attributes) {
    Set<String> found = new TreeSet<>();
    StringBuilder text = new StringBuilder();
    for (String name : ATTRIBUTES) {
      List<String> values =
          attributes.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of());
      String value = values.isEmpty() ? "nothing" : String.join("+", values);
      found.add(value);
      text.append(text.isEmpty() ? "" : " ")
          .append(name)
          .append('=')
          .append(value.replace(' ', '_'));
    }
    int number = found.size() == 1 ? number(found.iterator().next()) : -1;
    return number < 0 ? new State(Operations.HALF, text.toString()) : new State(number, "");
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
  }
}
