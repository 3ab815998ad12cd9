package org.nyala.core.password;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.bouncycastle.crypto.digests.Blake2bDigest;

/**
 * The computation of Argon2 (RFC 9106, section 3) in memory that is lent to it, so that a thousand
 * logins leave nothing to collect: blocks of 1 KiB, one after the other in one array.
 *
 * <p>Confined to one thread, for one password.
 */
final class Argon2Fill {
  /** The variants, by their numbers in section 3.1. */
  static final int D = 0;

  static final int I = 1;
  static final int ID = 2;

  /** The longs of a block. */
  private static final int LONGS = HashMemory.LONGS;

  private static final int BLOCK_BYTES = LONGS * Long.BYTES;
  private static final int SLICES = 4;
  private static final int DIGEST_LENGTH = 64;
  private static final int FIRST_VERSION = 16;
  private static final long LOW = 0xffffffffL;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Settings settings;
  private final long[] memory;
  private final BooleanSupplier isUnwanted;
  private final int laneLength;
  private final int segmentLength;
  private final long[] state = new long[LONGS];
  private final long[] input = new long[LONGS];
  private final long[] addresses = new long[LONGS];

  /**
   * The settings of a hash. Immutable.
   *
   * @param type {@link #D}, {@link #I} or {@link #ID}
   * @param version 16 or 19
   * @param kibibytes the memory, at least 8 for each lane
   * @param passes over the memory, at least 1
   * @param lanes parts of the memory, at least 1; one thread fills all of them
   */
  record Settings(int type, int version, int kibibytes, int passes, int lanes) {
    /** Returns the number of blocks: so many that all segments are equally long. */
    int blocks() {
      return kibibytes / (SLICES * lanes) * (SLICES * lanes);
    }

    /** Returns the length of the memory in longs. */
    int longs() {
      return Math.multiplyExact(blocks(), LONGS);
    }
  }

  /**
   * Begins with memory of at least as many blocks as the settings have; what is in it does not
   * matter.
   *
   * @param isUnwanted returns whether the result is no longer wanted
   */
  Argon2Fill(Settings settings, long[] memory, BooleanSupplier isUnwanted) {
    this.settings = settings;
    this.memory = memory;
    this.isUnwanted = isUnwanted;
    this.laneLength = settings.blocks() / settings.lanes();
    this.segmentLength = laneLength / SLICES;
  }

  /**
   * Returns the hash of a password. The caller overwrites the memory afterwards: its first block is
   * a quick hash of the password.
   *
   * @param length the bytes of the hash, at least 4
   * @throws CancellationException if the result is no longer wanted
   */
  byte[] hash(byte[] password, byte[] salt, int length) {
    begin(password, salt, length);
    for (int pass = 0; pass < settings.passes(); pass++) {
      for (int slice = 0; slice < SLICES; slice++) {
        for (int lane = 0; lane < settings.lanes(); lane++) {
          if (isUnwanted.getAsBoolean()) {
            throw new CancellationException();
          }
          fill(pass, slice, lane);
        }
      }
    }
    return end(length);
  }

  private void begin(byte[] password, byte[] salt, int length) {
    Blake2bDigest digest = new Blake2bDigest(DIGEST_LENGTH * Byte.SIZE);
    add(digest, settings.lanes());
    add(digest, length);
    add(digest, settings.kibibytes());
    add(digest, settings.passes());
    add(digest, settings.version());
    add(digest, settings.type());
    add(digest, password.length);
    digest.update(password, 0, password.length);
    add(digest, salt.length);
    digest.update(salt, 0, salt.length);
    // Neither a secret key nor associated data.
    add(digest, 0);
    add(digest, 0);
    byte[] seed = new byte[DIGEST_LENGTH + 2 * Integer.BYTES];
    digest.doFinal(seed, 0);
    ByteBuffer numbers = ByteBuffer.wrap(seed).order(ByteOrder.LITTLE_ENDIAN);
    for (int lane = 0; lane < settings.lanes(); lane++) {
      numbers.putInt(DIGEST_LENGTH + Integer.BYTES, lane);
      for (int block = 0; block < 2; block++) {
        numbers.putInt(DIGEST_LENGTH, block);
        byte[] bytes = extended(seed, BLOCK_BYTES);
        int place = (lane * laneLength + block) * LONGS;
        for (int i = 0; i < LONGS; i++) {
          memory[place + i] = (long) LONG.get(bytes, i * Long.BYTES);
        }
      }
    }
  }

  private byte[] end(int length) {
    long[] last = state;
    Arrays.fill(last, 0);
    for (int lane = 1; lane <= settings.lanes(); lane++) {
      int place = (lane * laneLength - 1) * LONGS;
      for (int i = 0; i < LONGS; i++) {
        last[i] ^= memory[place + i];
      }
    }
    byte[] bytes = new byte[BLOCK_BYTES];
    for (int i = 0; i < LONGS; i++) {
      LONG.set(bytes, i * Long.BYTES, last[i]);
    }
    return extended(bytes, length);
  }

  private static void add(Blake2bDigest digest, int number) {
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      digest.update((byte) (number >> shift));
    }
  }

  /** Returns a digest of any length (section 3.3). */
  private static byte[] extended(byte[] bytes, int length) {
    byte[] result = new byte[length];
    Blake2bDigest first = new Blake2bDigest(Math.min(length, DIGEST_LENGTH) * Byte.SIZE);
    add(first, length);
    first.update(bytes, 0, bytes.length);
    byte[] part = new byte[first.getDigestSize()];
    first.doFinal(part, 0);
    int filled = 0;
    while (length - filled > DIGEST_LENGTH) {
      System.arraycopy(part, 0, result, filled, DIGEST_LENGTH / 2);
      filled += DIGEST_LENGTH / 2;
      Blake2bDigest next = new Blake2bDigest(Math.min(length - filled, DIGEST_LENGTH) * Byte.SIZE);
      next.update(part, 0, part.length);
      part = new byte[next.getDigestSize()];
      next.doFinal(part, 0);
    }
    System.arraycopy(part, 0, result, filled, part.length);
    return result;
  }

  /** Fills a segment (sections 3.4.1 and 3.4.2). */
  private void fill(int pass, int slice, int lane) {
    boolean isByPosition =
        settings.type() == I || settings.type() == ID && pass == 0 && slice < SLICES / 2;
    if (isByPosition) {
      Arrays.fill(input, 0);
      input[0] = pass;
      input[1] = lane;
      input[2] = slice;
      input[3] = settings.blocks();
      input[4] = settings.passes();
      input[5] = settings.type();
    }
    boolean isXor = pass > 0 && settings.version() != FIRST_VERSION;
    int start = lane * laneLength;
    for (int i = pass == 0 && slice == 0 ? 2 : 0; i < segmentLength; i++) {
      int current = slice * segmentLength + i;
      int previous = current == 0 ? laneLength - 1 : current - 1;
      long random;
      if (isByPosition) {
        if (i % LONGS == 0 || i == 2) {
          nextAddresses(i);
        }
        random = addresses[i % LONGS];
      } else {
        random = memory[(start + previous) * LONGS];
      }
      int reference = reference(random, pass, slice, lane, i);
      mix((start + previous) * LONGS, reference * LONGS, (start + current) * LONGS, isXor);
    }
  }

  /** Computes the next addresses; those of blocks that are there already are not skipped. */
  private void nextAddresses(int index) {
    if (index == 2 && input[6] > 0) {
      return;
    }
    input[6]++;
    System.arraycopy(input, 0, addresses, 0, LONGS);
    for (int i = 0; i < 2; i++) {
      System.arraycopy(addresses, 0, state, 0, LONGS);
      permute();
      for (int j = 0; j < LONGS; j++) {
        addresses[j] ^= state[j];
      }
    }
  }

  /** Returns the block that a number chooses among those that may be read. */
  private int reference(long random, int pass, int slice, int lane, int index) {
    int chosen =
        pass == 0 && slice == 0 ? lane : (int) ((random >>> Integer.SIZE) % settings.lanes());
    boolean isSame = chosen == lane;
    int finished = pass == 0 ? slice * segmentLength : laneLength - segmentLength;
    int area = isSame ? finished + index - 1 : finished - (index == 0 ? 1 : 0);
    long low = random & LOW;
    long square = low * low >>> Integer.SIZE;
    long relative = area - 1 - (area * square >>> Integer.SIZE);
    int first = pass == 0 || slice == SLICES - 1 ? 0 : (slice + 1) * segmentLength;
    return chosen * laneLength + (int) ((first + relative) % laneLength);
  }

  /** Makes a block of two others (section 3.5). */
  private void mix(int previous, int reference, int current, boolean isXor) {
    long[] from = memory;
    long[] to = state;
    for (int i = 0; i < LONGS; i++) {
      to[i] = from[previous + i] ^ from[reference + i];
    }
    if (isXor) {
      for (int i = 0; i < LONGS; i++) {
        from[current + i] ^= from[previous + i] ^ from[reference + i];
      }
      permute();
      for (int i = 0; i < LONGS; i++) {
        from[current + i] ^= to[i];
      }
    } else {
      permute();
      for (int i = 0; i < LONGS; i++) {
        from[current + i] = from[previous + i] ^ from[reference + i] ^ to[i];
      }
    }
  }

  /** Permutes the rows of the state, and then its columns (section 3.6). */
  private void permute() {
    long[] v = state;
    for (int row = 0; row < LONGS; row += 16) {
      permute(v, row, 2);
    }
    for (int column = 0; column < 16; column += 2) {
      permute(v, column, 16);
    }
  }

  /** Permutes sixteen longs, of which pairs lie side by side. */
  private static void permute(long[] v, int at, int step) {
    int to = at + 2 * step;
    int third = to + 2 * step;
    int fourth = third + 2 * step;
    quarter(v, at, to, third, fourth);
    quarter(v, at + 1, to + 1, third + 1, fourth + 1);
    quarter(v, at + step, to + step, third + step, fourth + step);
    quarter(v, at + step + 1, to + step + 1, third + step + 1, fourth + step + 1);
    quarter(v, at, to + 1, third + step, fourth + step + 1);
    quarter(v, at + 1, to + step, third + step + 1, fourth);
    quarter(v, at + step, to + step + 1, third, fourth + 1);
    quarter(v, at + step + 1, to, third + 1, fourth + step);
  }

  private static void quarter(long[] v, int i, int j, int k, int l) {
    long a = v[i];
    long b = v[j];
    long c = v[k];
    long d = v[l];
    a += b + 2 * (a & LOW) * (b & LOW);
    d = Long.rotateRight(d ^ a, 32);
    c += d + 2 * (c & LOW) * (d & LOW);
    b = Long.rotateRight(b ^ c, 24);
    a += b + 2 * (a & LOW) * (b & LOW);
    d = Long.rotateRight(d ^ a, 16);
    c += d + 2 * (c & LOW) * (d & LOW);
    b = Long.rotateRight(b ^ c, 63);
    v[i] = a;
    v[j] = b;
    v[k] = c;
    v[l] = d;
  }
}
