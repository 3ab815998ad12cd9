package org.nyala.lmdb.export;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Modifications;

/**
 * The author of a change and the attributes that it has changed, without their values.
 *
 * <p>Immutable.
 *
 * @param author the DN; empty if it is not known, as of a deletion
 * @param attributes the descriptions, in the order of the change
 */
public record ChangeDetails(String author, List<String> attributes) {
  private static final String AUTHOR = "modifiersName";

  public ChangeDetails {
    attributes = List.copyOf(attributes);
  }

  /** Returns those of modifications; null for none. */
  static @Nullable ChangeDetails of(@Nullable Modifications modifications) {
    if (modifications == null) {
      return null;
    }
    String author = "";
    Set<String> names = new LinkedHashSet<>();
    for (byte[] value : modifications.values()) {
      int end = end(value);
      if (end > 0) {
        String name = new String(value, 0, end, StandardCharsets.UTF_8);
        names.add(name);
        // Behind the name stand a colon, the kind and a space.
        int start = end + 3;
        if (name.equalsIgnoreCase(AUTHOR) && value[end + 1] != '-' && value.length > start) {
          author = new String(value, start, value.length - start, StandardCharsets.UTF_8);
        }
      }
    }
    return new ChangeDetails(author, List.copyOf(names));
  }

  /** Returns the end of the name of a modification; 0 for what stands between two of them. */
  private static int end(byte[] value) {
    for (int i = 0; i + 1 < value.length; i++) {
      if (value[i] == ':') {
        return i;
      }
    }
    return 0;
  }
}
