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
