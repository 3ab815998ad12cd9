package org.nyala.core.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.password.KeyedHash;
import org.nyala.core.password.PasswordHash;

/**
 * The hashes against which passwords of non-existent names are checked, so that the check takes as
 * long as for existing names.
 *
 * <p>A directory has passwords of several schemes, rounds and numbers, which take different times:
 * a single decoy would reveal the names whose passwords take another time. So each non-existent
 * name has a decoy of its own, always the same one as long as the places below stay the same:
 * drawn, by a secret of this server, from those of existing names. Each existing name that was seen
 * has one of {@value #PLACES} places, so that frequent binds with one name do not change the draw.
 * Decoys cost as much as the passwords they are modelled on, and contain no part of them.
 *
 * <p>Thread-safe.
 */
public final class Decoys {
  private static final int PLACES = 1024;

  /** Draws before the places are looked at one after the other. */
  private static final int DRAWS = 32;

  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private final AtomicReferenceArray<@Nullable List<PasswordHash>> places =
      new AtomicReferenceArray<>(PLACES);
  private final KeyedHash marks;
  private final List<PasswordHash> otherwise;

  /**
   * Creates the places, all of them free.
   *
   * @param random not predictable
   * @param otherwise the decoy while no name has been seen
   */
  Decoys(RandomGenerator random, PasswordHash otherwise) {
    this.marks = new KeyedHash(random.nextLong(), random.nextLong());
    this.otherwise = List.of(otherwise.decoy());
  }

  /** Records the cost of the passwords of an existing name. */
  public void note(Dn name, List<PasswordHash> passwords) {
    int place = place(marks.of(name.normalized()));
    @Nullable List<PasswordHash> known = places.get(place);
    if (known != null && costsAs(known, passwords)) {
      return;
    }
    List<PasswordHash> decoys = new ArrayList<>(passwords.size());
    passwords.forEach(password -> decoys.add(password.decoy()));
    places.set(place, decoys);
  }

  private static boolean costsAs(List<PasswordHash> some, List<PasswordHash> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      if (!some.get(i).costsAs(others.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the decoy hashes against which to check a password for a name that does not exist. */
  public List<PasswordHash> of(Dn name) {
    return of(name.normalized());
  }

  /** Returns those for a name of any form that is not that of an entry. */
  public List<PasswordHash> of(byte[] name) {
    long mark = marks.of(name);
    for (int i = 0; i < DRAWS; i++) {
      @Nullable List<PasswordHash> drawn = places.get(place(mark));
      if (drawn != null) {
        return drawn;
      }
      mark = mixed(mark);
    }
    int first = place(mark);
    for (int i = 0; i < PLACES; i++) {
      @Nullable List<PasswordHash> found = places.get((first + i) % PLACES);
      if (found != null) {
        return found;
      }
    }
    return otherwise;
  }

  /** One step of a generator whose states are the marks: SplittableRandom's. */
  private static long mixed(long mark) {
    long z = mark + GOLDEN_GAMMA;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  private static int place(long mark) {
    return (int) (mark >>> 32) & PLACES - 1;
  }
}
