package org.nyala.core.directory;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.schema.Schema;

/**
 * Resolves the attribute lists of searches, and remembers those that are repeated often.
 *
 * <p>Confined to one running operation; serves one after the other. Hot: a client asks for the same
 * attributes in every search.
 */
public final class SelectionCache {
  private static final int SLOTS = 64;

  /** Longer lists are resolved each time. */
  private static final int LONGEST_REMEMBERED = 32;

  /** Longer names are not remembered either: together at most 64 × 32 × 64 characters are. */
  private static final int LONGEST_NAME = 64;

  private record Known(List<String> requested, boolean typesOnly, AttributeSelection selection) {}

  private final Schema schema;
  private final AttributeSelection.Visibility visibility;
  private final @Nullable Known[] slots = new Known[SLOTS];

  SelectionCache(Schema schema, AttributeSelection.Visibility visibility) {
    this.schema = schema;
    this.visibility = visibility;
  }

  public AttributeSelection selection(List<String> requested, boolean typesOnly) {
    int hash = requested.hashCode() * 2 + (typesOnly ? 1 : 0);
    int slot = (hash ^ hash >>> 16) & SLOTS - 1;
    Known known = slots[slot];
    if (known != null && known.typesOnly == typesOnly && known.requested.equals(requested)) {
      return known.selection;
    }
    AttributeSelection selection = AttributeSelection.of(schema, requested, typesOnly, visibility);
    if (isShort(requested)) {
      slots[slot] = new Known(List.copyOf(requested), typesOnly, selection);
    }
    return selection;
  }

  private static boolean isShort(List<String> requested) {
    if (requested.size() > LONGEST_REMEMBERED) {
      return false;
    }
    for (String name : requested) {
      if (name.length() > LONGEST_NAME) {
        return false;
      }
    }
    return true;
  }
}
