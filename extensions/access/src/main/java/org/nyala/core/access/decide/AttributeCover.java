package org.nyala.core.access.decide;

import java.util.concurrent.ConcurrentHashMap;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.entry.AttributeDescription;

/**
 * The attributes of a target, with the answers given so far.
 *
 * <p>Thread-safe.
 */
final class AttributeCover {
  /** The most answers that are kept: clients ask about descriptions with options of their own. */
  private static final int MOST_KNOWN = 4096;

  private final Attributes attributes;
  private final boolean isAll;
  private final ConcurrentHashMap<AttributeDescription, Boolean> known = new ConcurrentHashMap<>();

  AttributeCover(Attributes attributes) {
    this.attributes = attributes;
    this.isAll = attributes.equals(Attributes.ALL);
  }

  /** Returns whether everything is covered, the entry itself and its children too. */
  boolean isAll() {
    return isAll;
  }

  /** Returns whether the list has a description, or one that it descends from, by its name. */
  boolean names(AttributeDescription description) {
    return attributes.names(description);
  }

  boolean covers(Pseudo pseudo) {
    return isAll || attributes.covers(pseudo);
  }

  boolean covers(AttributeDescription description) {
    if (isAll) {
      return true;
    }
    Boolean answer = known.get(description);
    if (answer == null) {
      answer = attributes.covers(description);
      if (known.size() < MOST_KNOWN && !description.isLong()) {
        known.put(description, answer);
      }
    }
    return answer;
  }
}
