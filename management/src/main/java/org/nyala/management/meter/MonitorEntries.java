package org.nyala.management.meter;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.nyala.core.directory.virtual.VirtualTree.Node;

/** Makes entries of {@code cn=Monitor}. Stateless. */
final class MonitorEntries {
  static final String CONTAINER = "monitorContainer";
  static final String MONITORED = "monitoredObject";
  static final String DESCRIPTION = "description";
  static final String MONITORED_INFO = "monitoredInfo";
  static final String CREATED = "createTimestamp";
  static final String CHANGED = "modifyTimestamp";

  /** The author of entries that nobody has created, as slapd names it. */
  private static final List<String> NOBODY = List.of("");

  private static final String COUNTER = "monitorCounterObject";
  private static final String MONITOR_COUNTER = "monitorCounter";

  private MonitorEntries() {}

  static Node node(
      String rdn,
      String objectClass,
      Map<String, List<String>> attributes,
      Supplier<List<Node>> children) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("objectClass", List.of(objectClass));
    all.put("structuralObjectClass", List.of(objectClass));
    all.put("cn", List.of(rdn.substring(rdn.indexOf('=') + 1)));
    all.putAll(attributes);
    return new Node(rdn, all, children);
  }

  /**
   * Adds the authors and times that all entries have in slapd, here and below.
   *
   * @param time the time of entries that have none
   */
  static Node stamped(Node node, String time) {
    Map<String, List<String>> all = new LinkedHashMap<>(node.attributes());
    all.put("creatorsName", NOBODY);
    all.put("modifiersName", NOBODY);
    all.putIfAbsent(CREATED, List.of(time));
    all.putIfAbsent(CHANGED, List.of(time));
    return new Node(
        node.rdn(),
        all,
        () -> node.children().get().stream().map(child -> stamped(child, time)).toList());
  }

  static Node container(String name, String what, Supplier<List<Node>> children) {
    return node("cn=" + name, CONTAINER, Map.of(DESCRIPTION, List.of(what)), children);
  }

  static Node leaf(
      String name, String objectClass, String what, Map<String, List<String>> attributes) {
    Map<String, List<String>> all = new LinkedHashMap<>(attributes);
    all.put(DESCRIPTION, List.of(what));
    return node("cn=" + name, objectClass, all, List::of);
  }

  static Map<String, List<String>> info(Object value) {
    return Map.of(MONITORED_INFO, List.of(value.toString()));
  }

  static Node info(String name, Object value, String what) {
    return leaf(name, MONITORED, what, info(value));
  }

  static Node counter(String name, long value, String what) {
    return leaf(name, COUNTER, what, Map.of(MONITOR_COUNTER, List.of(Long.toString(value))));
  }
}
