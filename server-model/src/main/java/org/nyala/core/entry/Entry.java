package org.nyala.core.entry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;

/**
 * An entry as objects, for the paths that are not hot: import, the root DSE, tests. Attributes and
 * values keep their order.
 *
 * <p>Confined to one running operation.
 */
public final class Entry {
  private final Dn dn;
  private final Map<AttributeDescription, List<byte[]>> attributes = new LinkedHashMap<>();

  /** Creates an entry without attributes. */
  public Entry(Dn dn) {
    this.dn = dn;
  }

  public Dn dn() {
    return dn;
  }

  /** Appends a value; duplicates are the caller's to find. */
  public Entry add(AttributeDescription description, byte[] value) {
    attributes.computeIfAbsent(description, _ -> new ArrayList<>(2)).add(value);
    return this;
  }

  /** The descriptions that have values, in order. */
  public Set<AttributeDescription> descriptions() {
    return attributes.keySet();
  }

  /** The values of exactly this description, or null. */
  public @Nullable List<byte[]> values(AttributeDescription description) {
    return attributes.get(description);
  }

  /** Removes a description with all its values; returns them, or null. */
  public @Nullable List<byte[]> remove(AttributeDescription description) {
    return attributes.remove(description);
  }
}
