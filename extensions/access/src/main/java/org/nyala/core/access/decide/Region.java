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
}
