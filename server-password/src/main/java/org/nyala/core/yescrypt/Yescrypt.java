package org.nyala.core.yescrypt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * yescrypt, Solar Designer's extension of scrypt (RFC 7914): hashes of passwords that take memory.
 * Its steps are those of "yescrypt - scalable KDF and password hashing scheme" (Openwall, version
 * 1.1).
 *
 * <p>Confined to one thread, for one password.
 */
public final class Yescrypt {
  private static final int KEY_LENGTH = 32;
  private static final int BLOCK_UNIT = 128;

  /** The length of the end of a block that is a key, in longs. */
  private static final int TAIL = 8;

  /** The least work, in blocks and in units of 128 bytes, before which there is a short pass. */
  private static final int BLOCKS_FOR_PREPARATION = 0x100;

  private static final int UNITS_FOR_PREPARATION = 0x20000;
  private static final int PREPARATION_SHIFT = 6;

  private final YescryptSettings settings;
  private final long[] memory;
  private final BooleanSupplier isUnwanted;

  private Yescrypt(YescryptSettings settings, long[] memory, BooleanSupplier isUnwanted) {
    this.settings = settings;
    this.memory = memory;
    this.isUnwanted = isUnwanted;
  }

  /**
   * Returns the stored form of a password.
   *
   * @param memory at least {@link YescryptSettings#longs} longs, which are overwritten
   * @param isUnwanted returns whether the result is no longer wanted
   * @return null if the result is no longer wanted
   */
  public static @Nullable String hash(
      byte[] password, YescryptSettings settings, long[] memory, BooleanSupplier isUnwanted) {
    try {
      byte[] key = new Yescrypt(settings, memory, isUnwanted).key(password);
      byte[] hash =
          settings.isGost()
              ? GostWrap.apply(password, settings.text().getBytes(ISO_8859_1), key)
              : key;
      return settings.text() + '$' + Crypt64.encode(hash);
    } catch (CancellationException _) {
      return null;
    }
  }

  private boolean isReadWrite() {
    return settings.flags() == YescryptSettings.READ_WRITE;
  }

  private byte[] key(byte[] password) {
    int blocks = 1 << settings.logN();
    long part = blocks / settings.p();
    boolean isPrepared =
        isReadWrite()
            && part >= BLOCKS_FOR_PREPARATION
            && part * settings.r() >= UNITS_FOR_PREPARATION;
    byte[] secret =
        isPrepared ? pass(password, "yescrypt-prehash", blocks >> PREPARATION_SHIFT, 0) : password;
    byte[] key = pass(secret, "yescrypt", blocks, settings.t());
    if (settings.flags() == 0) {
      return key;
    }
    // The stored key is a hash of what the client could have computed.
    return sha256(new KeyedHash(key).of("Client Key".getBytes(US_ASCII)));
  }

  /** Returns the key after one pass. */
  private byte[] pass(byte[] password, String label, int blocks, int t) {
    boolean isClassic = settings.flags() == 0;
    byte[] secret = isClassic ? password : new KeyedHash(label.getBytes(US_ASCII)).of(password);
    int length = BLOCK_UNIT * settings.r() * settings.p();
    long[] block = Words.of(new KeyedHash(secret).derive(settings.salt(), length, isUnwanted));
    byte[] next = isClassic ? secret : Words.bytes(block, 0, KEY_LENGTH / Long.BYTES);
    if (isReadWrite()) {
      next = mixTogether(block, next, blocks, t);
    } else {
      mixApart(block, blocks, t);
    }
    return new KeyedHash(next).derive(Words.bytes(block, 0, block.length), KEY_LENGTH, isUnwanted);
  }

  private int blockLength() {
    return 2 * settings.r() * Salsa.LONGS;
  }

  /** Mixes each block through memory of its own, one after the other. */
  private void mixApart(long[] block, int blocks, int t) {
    long times = blocks;
    if (t == 1) {
      times += (times + 1) / 2;
    } else if (t > 1) {
      times *= t;
    }
    long even = times + 1 & -2;
    MemoryMix mixing = new MemoryMix(settings.r(), memory, isUnwanted);
    for (int i = 0; i < settings.p(); i++) {
      int offset = i * blockLength();
      mixing.fill(block, offset, 0, blocks, false, null);
      mixing.read(block, offset, 0, blocks, even, false, null);
    }
  }

  /**
   * Mixes each block through its part of the memory, and then through all of it.
   *
   * @param secret the key so far
   * @return the key that takes its place
   */
  private byte[] mixTogether(long[] block, byte[] secret, int blocks, int t) {
    int p = settings.p();
    int part = blocks / p;
    long all = t <= 1 ? ((t == 0 ? 1L : 2L) * part + 2) / 3 : (long) part * (t - 1);
    long own = all / p + 1 & -2;
    all = all + 1 & -2;
    int even = part & -2;
    MemoryMix mixing = new MemoryMix(settings.r(), memory, isUnwanted);
    Pwxform[] transformations = new Pwxform[p];
    byte[] key = secret;
    for (int i = 0; i < p; i++) {
      int offset = i * blockLength();
      transformations[i] = transformation(block, offset);
      if (i == 0) {
        key = new KeyedHash(Words.bytes(block, blockLength() - TAIL, TAIL)).of(secret);
      }
      int first = i * even * blockLength();
      int count = i < p - 1 ? even : blocks - i * even;
      mixing.fill(block, offset, first, count, true, transformations[i]);
      int chosen = Integer.highestOneBit(count);
      mixing.read(block, offset, first, chosen, own, true, transformations[i]);
    }
    for (int i = 0; i < p; i++) {
      int offset = i * blockLength();
      mixing.read(block, offset, 0, blocks, all - own, false, transformations[i]);
    }
    return key;
  }

  /** Makes S-boxes from the beginning of a block, which is replaced. */
  private Pwxform transformation(long[] block, int offset) {
    long[] boxes = new long[Pwxform.BYTES / Long.BYTES];
    new MemoryMix(1, boxes, isUnwanted)
        .fill(block, offset, 0, Pwxform.BYTES / BLOCK_UNIT, false, null);
    return new Pwxform(boxes);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
