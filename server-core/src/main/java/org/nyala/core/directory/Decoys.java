package org.nyala.core.directory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.password.KeyedHash;
import org.nyala.core.password.PasswordHash;

/**
 * What passwords are checked against for names that do not exist, so that it takes as long as for
 * names that do.
 *
 * <p>A directory has passwords of several schemes, rounds and numbers, which take differently long:
 * one decoy for all would tell the names apart whose passwords take another time. So each name that
 * does not exist has a decoy of its own, always the same one for as long as the places below stay
 * the same: drawn, by a secret of this server, from those of names that do. Each name that has been
 * seen has one of {@value #PLACES} places, so that binding often with one name does not change what
 * is drawn. Decoys cost what the passwords did after which they are made, and hold nothing of them.
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

  /** Takes notice of what the passwords of a name cost that exists. */
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

  /** What to check a password against that comes with a name which does not exist. */
  public List<PasswordHash> of(Dn name) {
    long mark = marks.of(name.normalized());
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
