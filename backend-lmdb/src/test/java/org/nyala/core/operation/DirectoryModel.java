package org.nyala.core.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.nyala.core.message.Request.Change;
import org.nyala.core.message.ResultCode;

/**
 * A directory as a map of entries, with the effect of each kind of update on it: a rejected update
 * may leave it half changed. Names and values are of lower case, without spaces.
 */
final class DirectoryModel {
  static final String TOP = UpdateFixture.TOP;

  /** The values of each attribute of each entry below the top. */
  final TreeMap<String, Map<String, Set<String>>> entries = new TreeMap<>();

  DirectoryModel copy() {
    DirectoryModel copy = new DirectoryModel();
    entries.forEach((name, attributes) -> copy.entries.put(name, copy(attributes)));
    return copy;
  }

  private static Map<String, Set<String>> copy(Map<String, Set<String>> attributes) {
    Map<String, Set<String>> copy = new TreeMap<>();
    attributes.forEach((attribute, values) -> copy.put(attribute, new TreeSet<>(values)));
    return copy;
  }

  static String parent(String name) {
    return name.substring(name.indexOf(',') + 1);
  }

  static String rdnValue(String name) {
    return name.substring(name.indexOf('=') + 1, name.indexOf(','));
  }

  boolean exists(String name) {
    return name.equals(TOP) || entries.containsKey(name);
  }

  long children(String name) {
    return entries.keySet().stream().filter(each -> parent(each).equals(name)).count();
  }

  ResultCode add(String name, Map<String, Set<String>> attributes) {
    if (exists(name)) {
      return ResultCode.ENTRY_ALREADY_EXISTS;
    }
    if (!exists(parent(name))) {
      return ResultCode.NO_SUCH_OBJECT;
    }
    entries.put(name, copy(attributes));
    return ResultCode.SUCCESS;
  }

  ResultCode delete(String name, boolean isTree) {
    if (!exists(name)) {
      return ResultCode.NO_SUCH_OBJECT;
    }
    if (!isTree && children(name) > 0) {
      return ResultCode.NOT_ALLOWED_ON_NON_LEAF;
    }
    entries.keySet().removeIf(each -> each.equals(name) || each.endsWith("," + name));
    return ResultCode.SUCCESS;
  }

  ResultCode rename(String name, String newName, boolean deleteOldRdn) {
    String superior = parent(newName);
    if (superior.equals(name) || superior.endsWith("," + name)) {
      return ResultCode.UNWILLING_TO_PERFORM;
    }
    if (!exists(name) || !exists(superior)) {
      return ResultCode.NO_SUCH_OBJECT;
    }
    if (exists(newName) && !newName.equals(name)) {
      return ResultCode.ENTRY_ALREADY_EXISTS;
    }
    Set<String> units = entries.get(name).get("ou");
    if (deleteOldRdn) {
      units.remove(rdnValue(name));
    }
    units.add(rdnValue(newName));
    for (String each : new ArrayList<>(entries.keySet())) {
      if (each.endsWith("," + name)) {
        String moved = each.substring(0, each.length() - name.length()) + newName;
        entries.put(moved, entries.remove(each));
      }
    }
    entries.put(newName, entries.remove(name));
    return ResultCode.SUCCESS;
  }

  ResultCode modify(String name, List<Change> changes, boolean isPermissive) {
    Map<String, Set<String>> attributes = entries.get(name);
    if (attributes == null) {
      return ResultCode.NO_SUCH_OBJECT;
    }
    for (Change change : changes) {
      ResultCode code = modify(attributes, change, isPermissive);
      if (code != ResultCode.SUCCESS) {
        return code;
      }
      attributes.values().removeIf(Set::isEmpty);
    }
    return ResultCode.SUCCESS;
  }

  private static ResultCode modify(
      Map<String, Set<String>> attributes, Change change, boolean isPermissive) {
    String attribute = change.attribute().attribute();
    Set<String> given = new TreeSet<>();
    change.attribute().values().forEach(value -> given.add(text(value)));
    Set<String> stored = attributes.computeIfAbsent(attribute, _ -> new TreeSet<>());
    switch (change.kind()) {
      case 0 -> {
        if (!isPermissive && given.stream().anyMatch(stored::contains)) {
          return ResultCode.ATTRIBUTE_OR_VALUE_EXISTS;
        }
        stored.addAll(given);
      }
      case 1 -> {
        boolean isMissing = stored.isEmpty() || !stored.containsAll(given);
        if (isMissing && !isPermissive) {
          return ResultCode.NO_SUCH_ATTRIBUTE;
        }
        stored.removeAll(given.isEmpty() ? new TreeSet<>(stored) : given);
      }
      case 2 -> {
        stored.clear();
        stored.addAll(given);
      }
      default -> {
        if (stored.isEmpty() && !isPermissive) {
          return ResultCode.NO_SUCH_ATTRIBUTE;
        }
        long sum = stored.isEmpty() ? 0 : Long.parseLong(stored.iterator().next());
        sum += Long.parseLong(given.iterator().next());
        stored.clear();
        stored.add(Long.toString(sum));
      }
    }
    return ResultCode.SUCCESS;
  }

  static String text(byte[] value) {
    return new String(value, java.nio.charset.StandardCharsets.UTF_8);
  }
}
