package org.nyala.blind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The values of all attributes in two directories.
 *
 * <p>Immutable.
 */
final class Values {
  private final Map<String, List<String>> values = new TreeMap<>();

  Values(List<String> ldif) {
    for (String each : ldif) {
      each.lines().filter(line -> !line.isEmpty()).forEach(this::line);
    }
    List<String> groups = new ArrayList<>(Names.GROUP_NAMES);
    groups.add(Names.CREW);
    groups.addAll(Names.HIDDEN.stream().filter(name -> name.startsWith("cn=")).toList());
    values.put("memberof", groups);
    values.put("entrydn", values.get("dn"));
    values.put("name", values.get("cn"));
    values.put("distinguishedname", values.get("dn"));
    values.put("hassubordinates", List.of("TRUE", "FALSE"));
    values.put("numsubordinates", List.of("0", "1", "2", "3", "4", "5", "7", "9"));
    values.put("structuralobjectclass", List.of("inetOrgPerson", "device", "alias"));
    values.put("subschemasubentry", List.of("cn=Subschema"));
    values.put("pwdreset", List.of("TRUE", "FALSE"));
    values.put("entryttl", List.of("0", "100"));
    values.put("contextcsn", values.get("entrycsn"));
  }

  private void line(String line) {
    int colon = line.indexOf(": ");
    values
        .computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
        .add(line.substring(colon + 2));
  }

  List<String> of(String attribute) {
    return values.getOrDefault(attribute.toLowerCase(Locale.ROOT), List.of());
  }
}
