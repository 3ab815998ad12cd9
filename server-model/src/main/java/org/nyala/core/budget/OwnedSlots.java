package org.nyala.core.budget;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A bounded set of places that clients hold, each on behalf of an owner: an address or an identity.
 * If all are taken, a newcomer takes the place of the oldest idle one of the owner that holds most,
 * which is the newcomer's own if that holds as many. If nothing of that owner is idle, the newcomer
 * is refused: an owner that takes more loses its own places, and never those of others.
 *
 * <p>Thread-safe. Activity is marked by its holder and looked at only if all places are taken: a
 * few hundred slots at most, those first that were not seen at work the last time.
 */
public final class OwnedSlots {
  /** The kinds of places that clients hold, and the keys that bound them. */
  public enum Kind {
    /** Connections to the LDAP ports, each with a file descriptor. */
    CONNECTIONS("connections", "limits.connections or file descriptors"),
    /** The engines of encrypted connections. */
    ENCRYPTIONS("encrypted connections", "limits.memory"),
    /** Persistent searches and followers of the content of a naming context. */
    FOLLOWERS("persistent searches", "limits.persistentSearches"),
    /** Followers of the log of changes. */
    LOG_READERS("readers of the log of changes", "limits.persistentSearches"),
    /** Transactions that were started and are not settled. */
    TRANSACTIONS("transactions", "limits.transactions"),
    /** Operations that wait for a slow password hash. */
    HASHES("requests that wait for a password hash", "limits.hashQueue"),
    /** Connections to the HTTP port. */
    HTTP_CONNECTIONS("connections of the HTTP port", "256"),
    /** Live pages of the HTTP port that are open in browsers, each with a stream of events. */
    PAGES("live pages", "200");

    private final String label;
    private final String bound;

    Kind(String label, String bound) {
      this.label = label;
      this.bound = bound;
    }

    /** Returns the configuration that bounds their number. */
    public String bound() {
      return bound;
    }
  }

  /** The use that a holder makes of its slot; the less, the sooner it has to leave. */
  public enum Use {
    /** Nothing is in progress. */
    IDLE,
    /** The server waits for the client: for the rest of a message, or until it reads. */
    AWAITING_CLIENT,
    /** The server works for the client; it keeps its slot. */
    WORKING
  }

  /**
   * The holder of a slot. Its methods are quick, throw nothing, and may be called by any thread.
   */
  public interface Tenant {
    /** Returns the present use, which may be a moment old. */
    Use use();

    /** Returns the time of the last activity; the same for all if the order of arrival decides. */
    default long sinceNanos() {
      return 0;
    }

    /** Ends what holds the slot, soon; another has taken its place. */
    void evict();
  }

  /** The resource that slots are made of. Called under the lock of the slots. */
  public interface Room {
    /** Takes it for one more slot; false if there is none. */
    boolean tryTake();

    /** Takes it although there is none: that of another slot is about to be given back. */
    void take();

    void giveBack();
  }

  /** The most slots whose holders were told to leave and have not left. */
  public static final int LEAVING = 32;

  /** The most slots that are looked at for one newcomer. */
  private static final int LOOKS = 256;

  /** The holders that made way from one line in the log to the next, if they are many. */
  private static final int LOG_EVERY = 1 << 16;

  private static final System.Logger LOG = System.getLogger(OwnedSlots.class.getName());

  private final Kind kind;
  private final Room room;
  private final int mostLeaving;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Object, Holdings> owners = new HashMap<>();
  private final TreeMap<Integer, LinkedHashSet<Holdings>> byNumber = new TreeMap<>();
  private int held;
  private int leaving;
  private long evicted;

  /** Creates slots of which none is taken. */
  public OwnedSlots(Kind kind, Room room) {
    this(kind, room, LEAVING);
  }

  /** Creates at most as many slots as a supplier says at the time. */
  public OwnedSlots(Kind kind, IntSupplier most) {
    this(kind, most, LEAVING);
  }

  /**
   * Creates at most as many slots as a supplier says at the time.
   *
   * @param mostLeaving the number of holders that may be on their way out beside the others
   */
  public OwnedSlots(Kind kind, IntSupplier most, int mostLeaving) {
    this(kind, new CountedRoom(most), mostLeaving);
  }

  /**
   * Creates slots of which none is taken.
   *
   * @param mostLeaving the number of holders that may be on their way out beside the others
   */
  private OwnedSlots(Kind kind, Room room, int mostLeaving) {
    this.kind = kind;
    this.room = room;
    this.mostLeaving = mostLeaving;
  }

  /** Room for a number of slots. */
  private static final class CountedRoom implements Room {
    private final IntSupplier most;
    private int taken;

    CountedRoom(IntSupplier most) {
      this.most = most;
    }

    @Override
    public boolean tryTake() {
      boolean isFree = taken < most.getAsInt();
      taken += isFree ? 1 : 0;
      return isFree;
    }

    @Override
    public void take() {
      taken++;
    }

    @Override
    public void giveBack() {
      taken--;
    }
  }

  /** The slots of one owner, those that were not seen at work for longest first. */
  private static final class Holdings {
    final LinkedHashSet<Slot> slots = new LinkedHashSet<>(2);
  }

  /** A slot that is taken; its holder gives it back. Thread-safe. */
  public final class Slot {
    private final Tenant tenant;
    private Object owner;
    private boolean isLeaving;
    private boolean isGivenBack;

    private Slot(Object owner, Tenant tenant) {
      this.owner = owner;
      this.tenant = tenant;
    }

    /**
     * Moves the slot to another owner.
     *
     * @param mostOfOwner the number of slots that it may hold then
     * @return false if that is exceeded; nothing is changed then
     */
    public boolean belongTo(Object other, int mostOfOwner) {
      lock.lock();
      try {
        if (isLeaving || isGivenBack) {
          return !isGivenBack;
        }
        if (!other.equals(owner)) {
          if (heldBy(other) >= mostOfOwner) {
            return false;
          }
          remove(this);
          owner = other;
          add(this);
        }
        return true;
      } finally {
        lock.unlock();
      }
    }

    /** Gives the slot back. Idempotent. */
    public void giveBack() {
      lock.lock();
      try {
        if (isGivenBack) {
          return;
        }
        isGivenBack = true;
        if (isLeaving) {
          leaving--;
        } else {
          remove(this);
        }
        held--;
        room.giveBack();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Takes a slot on behalf of an owner; null if there is none. */
  public @Nullable Slot take(Object owner, Tenant tenant) {
    return take(owner, tenant, Integer.MAX_VALUE);
  }

  /**
   * Takes a slot on behalf of an owner.
   *
   * @param mostOfOwner the number of slots that the owner may hold
   * @return null if the owner holds as many, or if all are taken and none has to make way
   */
  public @Nullable Slot take(Object owner, Tenant tenant, int mostOfOwner) {
    Slot taken;
    Slot victim = null;
    lock.lock();
    try {
      int own = heldBy(owner);
      if (own >= mostOfOwner) {
        return null;
      }
      if (!room.tryTake()) {
        victim = victim(owner, own);
        if (victim == null) {
          return null;
        }
        leave(victim);
        room.take();
      }
      taken = new Slot(owner, tenant);
      held++;
      add(taken);
    } finally {
      lock.unlock();
    }
    if (victim != null) {
      evict(victim);
    }
    return taken;
  }

  /**
   * Has the oldest idle slot of the owner that holds most be given back, although no newcomer is
   * known: what slots are made of has run out elsewhere.
   *
   * @return false if none is idle
   */
  public boolean relieve() {
    Slot victim;
    lock.lock();
    try {
      victim = victim(this, 0);
      if (victim == null) {
        return false;
      }
      leave(victim);
    } finally {
      lock.unlock();
    }
    evict(victim);
    return true;
  }

  /** Returns the number of slots that were taken and not given back. */
  public int count() {
    lock.lock();
    try {
      return held;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether an owner holds a number of slots, or more. */
  public boolean isHeldBy(Object owner, int number) {
    lock.lock();
    try {
      return heldBy(owner) >= number;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the number of slots that have their turn before a further one of an owner, if owners
   * take turns with one slot each: those of the owner, and of each other as many and one.
   */
  public long turnsBefore(Object owner) {
    lock.lock();
    try {
      int own = heldBy(owner);
      long turns = 0;
      for (Map.Entry<Integer, LinkedHashSet<Holdings>> each : byNumber.entrySet()) {
        turns += (long) each.getValue().size() * Math.min(each.getKey(), own + 1);
      }
      return turns;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of slots whose holders had to make way. */
  public long evicted() {
    lock.lock();
    try {
      return evicted;
    } finally {
      lock.unlock();
    }
  }

  private int heldBy(Object owner) {
    Holdings holdings = owners.get(owner);
    return holdings == null ? 0 : holdings.slots.size();
  }

  private void add(Slot slot) {
    Holdings holdings = owners.computeIfAbsent(slot.owner, _ -> new Holdings());
    int before = holdings.slots.size();
    holdings.slots.add(slot);
    rank(holdings, before);
  }

  private void remove(Slot slot) {
    Holdings holdings = owners.get(slot.owner);
    if (holdings == null || !holdings.slots.remove(slot)) {
      throw new IllegalStateException("a slot that nobody holds");
    }
    if (holdings.slots.isEmpty()) {
      owners.remove(slot.owner);
    }
    rank(holdings, holdings.slots.size() + 1);
  }

  private void rank(Holdings holdings, int before) {
    LinkedHashSet<Holdings> equals = byNumber.get(before);
    if (equals != null) {
      equals.remove(holdings);
      if (equals.isEmpty()) {
        byNumber.remove(before);
      }
    }
    int now = holdings.slots.size();
    if (now > 0) {
      byNumber.computeIfAbsent(now, _ -> new LinkedHashSet<>(2)).add(holdings);
    }
  }

  /** Returns the slot that makes way for a newcomer; null if none does. Under the lock. */
  private @Nullable Slot victim(Object newcomer, int own) {
    Map.Entry<Integer, LinkedHashSet<Holdings>> most = byNumber.lastEntry();
    if (most == null || leaving >= mostLeaving) {
      return null;
    }
    if (own >= most.getKey()) {
      Holdings itself = owners.get(newcomer);
      return itself == null ? null : oldest(itself, null, new int[] {LOOKS});
    }
    int[] looks = {LOOKS};
    Slot oldest = null;
    List<Holdings> seen = new ArrayList<>();
    for (Holdings holdings : most.getValue()) {
      if (looks[0] == 0) {
        break;
      }
      oldest = oldest(holdings, oldest, looks);
      seen.add(holdings);
    }
    if (looks[0] == 0) {
      // Others are looked at the next time.
      seen.forEach(most.getValue()::remove);
      most.getValue().addAll(seen);
    }
    return oldest;
  }

  private static @Nullable Slot oldest(Holdings holdings, @Nullable Slot known, int[] looks) {
    Slot oldest = known;
    List<Slot> working = new ArrayList<>();
    for (Slot slot : holdings.slots) {
      if (looks[0]-- == 0) {
        looks[0] = 0;
        break;
      }
      Use use = slot.tenant.use();
      if (use == Use.WORKING) {
        working.add(slot);
      } else if (oldest == null || isBefore(slot, use, oldest)) {
        oldest = slot;
      }
    }
    if (looks[0] == 0) {
      working.forEach(holdings.slots::remove);
      holdings.slots.addAll(working);
    }
    return oldest;
  }

  private static boolean isBefore(Slot slot, Use use, Slot other) {
    int order = use.compareTo(other.tenant.use());
    return order < 0 || order == 0 && slot.tenant.sinceNanos() - other.tenant.sinceNanos() < 0;
  }

  private void leave(Slot victim) {
    remove(victim);
    victim.isLeaving = true;
    leaving++;
    evicted++;
  }

  private void evict(Slot victim) {
    victim.tenant.evict();
    long number = evicted();
    boolean isSaid = Long.bitCount(number) == 1 || number % LOG_EVERY == 0;
    if (!isSaid) {
      return;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} idle {1} so far have made way for others ({2}), those of the client that had most",
        number,
        kind.label,
        kind.bound);
  }
}
