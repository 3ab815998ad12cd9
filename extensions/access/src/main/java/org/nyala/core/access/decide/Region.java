package org.nyala.core.access.decide;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries directly below some parents for which the same remains of the rules; single ones of
 * them that rules name are exceptions.
 *
 * <p>Thread-safe: what follows for exceptions is computed once, or several times with the same
 * result.
 */
final class Region {
  private final DecidedRules rules;
  private final Program program;
  private final @Nullable RdnTable exceptions;
  private final Node common;
  private final @Nullable RuledProfile profile;
  private final @Nullable Node[] exceptional;

  Region(DecidedRules rules, Program program) {
    this.rules = rules;
    this.program = program;
    Set<Rdn> names = new HashSet<>();
    program.addNames(names);
    exceptions = names.isEmpty() ? null : new RdnTable(names);
    exceptional = new @Nullable Node[exceptions == null ? 0 : exceptions.size()];
    common = rules.node(names.isEmpty() ? program : program.after(Region::ofNone));
    profile = exceptions == null && common instanceof RuledProfile all ? all : null;
  }

  private static @Nullable Boolean ofNone(EntryCheck check) {
    return check instanceof EntryCheck.Is ? Boolean.FALSE : null;
  }

  /** The answers for all entries; null if they have to be tested. */
  @Nullable RuledProfile profile() {
    return profile;
  }

  /** Returns whether the own RDNs of entries have to be looked at. */
  boolean hasExceptions() {
    return exceptions != null;
  }

  /** The state of entries that are no exceptions. */
  Node common() {
    return common;
  }

  /** The state of the entry with an RDN. */
  Node at(byte[] rdn, int length) {
    RdnTable table = exceptions;
    int place = table == null ? -1 : table.find(rdn, length);
    if (place < 0) {
      return common;
    }
    Node known = exceptional[place];
    if (known == null) {
      known = rules.node(program.after(check -> ofOne(check, rdn, length)));
      exceptional[place] = known;
    }
    return known;
  }

  /** Returns the result of a test for the entry with an RDN, if that tells. */
  static @Nullable Boolean ofOne(EntryCheck check, byte[] rdn, int length) {
    return switch (check) {
      case EntryCheck.Is is -> is.rdn().isSame(rdn, length);
      case EntryCheck.Begins begins -> begins.start().isStartOf(rdn, length);
      default -> null;
    };
  }

  /**
   * A set of RDNs that is asked with bytes, without making a key of them.
   *
   * <p>Immutable. Hot.
   */
  private static final class RdnTable {
    private final @Nullable Rdn[] slots;

    RdnTable(Set<Rdn> rdns) {
      slots = new @Nullable Rdn[Integer.highestOneBit(rdns.size() + 1) * 4];
      for (Rdn rdn : rdns) {
        int at = first(rdn.hashCode());
        while (slots[at] != null) {
          at = at + 1 & slots.length - 1;
        }
        slots[at] = rdn;
      }
    }

    private int first(int hash) {
      return (hash ^ hash >>> 16) & slots.length - 1;
    }

    /** Returns the number of places, more than there are RDNs. */
    int size() {
      return slots.length;
    }

    /** Returns the place of an RDN; -1 if it is not in the set. */
    int find(byte[] rdn, int length) {
      int at = first(Rdn.hash(rdn, length));
      for (Rdn known = slots[at]; known != null; known = slots[at]) {
        if (known.isSame(rdn, length)) {
          return at;
        }
        at = at + 1 & slots.length - 1;
      }
      return -1;
    }
  }
}
