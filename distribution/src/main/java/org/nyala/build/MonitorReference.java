package org.nyala.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Writes the reference of {@code cn=Monitor} in AsciiDoc: every entry that a server shows, and
 * every attribute of these entries alone, from the schema. Confined to one thread.
 */
final class MonitorReference {
  /** The names of entries that exist once for each connection or listener. */
  private static final Pattern NUMBERED =
      Pattern.compile("cn=(Connection|Listener|Overlay|Certificate) \\d+");

  private static final Pattern OWN =
      Pattern.compile("(monitor|olm)[A-Z]\\w*|monitoredInfo|readOnly");

  /** The attributes of every entry, and those in the other columns. */
  private static final Set<String> COMMON =
      Set.of(
          "objectClass",
          "structuralObjectClass",
          "cn",
          "creatorsName",
          "modifiersName",
          "createTimestamp",
          "modifyTimestamp",
          "description");

  private final Schema schema;
  private final Set<String> own = new TreeSet<>();
  private final StringBuilder entries = new StringBuilder();

  private MonitorReference(Schema schema) {
    this.schema = schema;
  }

  /**
   * Writes the reference.
   *
   * @param top the tree of a server that has a client
   * @throws IllegalStateException naming an entry or attribute without a description
   */
  static String of(VirtualTree.Node top, Schema schema) {
    MonitorReference reference = new MonitorReference(schema);
    reference.read(top, "");
    return "[cols=\"6,3,6,5\",options=header]\n|===\n|Entry |Object class |Attributes |What\n\n"
        + reference.entries
        + "|===\n\n"
        + "[cols=\"2,4\",options=header]\n|===\n|Attribute |What\n\n"
        + reference.attributes()
        + "|===\n";
  }

  private void read(VirtualTree.Node node, String parent) {
    String name = NUMBERED.matcher(node.rdn()).replaceFirst("cn=$1 N") + parent;
    Map<String, List<String>> attributes = node.attributes();
    List<String> names = new ArrayList<>();
    for (String attribute : attributes.keySet()) {
      if (!COMMON.contains(attribute)) {
        names.add(AdocText.code(attribute));
      }
      if (OWN.matcher(attribute).matches()) {
        own.add(attribute);
      }
    }
    names.sort(null);
    entries.append('|').append(AdocText.code(name));
    entries.append(" |").append(codes(attributes.getOrDefault("objectClass", List.of())));
    entries.append(" |").append(String.join(", ", names));
    entries.append(" |").append(said(name, attributes)).append('\n');
    node.children().get().forEach(child -> read(child, "," + name));
  }

  private static String codes(List<String> names) {
    return String.join(", ", names.stream().map(AdocText::code).toList());
  }

  private static String said(String name, Map<String, List<String>> attributes) {
    List<String> description = attributes.get("description");
    if (description == null) {
      throw new IllegalStateException(name + " has no description");
    }
    return AdocText.prose(description.getFirst());
  }

  private String attributes() {
    StringBuilder text = new StringBuilder();
    for (String name : own) {
      @Nullable AttributeType type = schema.attributeType(name);
      if (type == null || type.description().isEmpty()) {
        throw new IllegalStateException("the schema does not describe " + name);
      }
      text.append('|').append(AdocText.code(name));
      text.append(" |").append(AdocText.prose(type.description())).append('\n');
    }
    return text.toString();
  }
}
