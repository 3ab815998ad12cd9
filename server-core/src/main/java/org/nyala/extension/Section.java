package org.nyala.extension;

import java.util.List;
import java.util.Optional;
import org.nyala.core.limits.Keys;

/**
 * One object of the configuration file, read key by key. Each key that is read is one that exists:
 * any other one in the object is refused as a mistake, and {@code nyala check} shows what was
 * expected.
 *
 * <p>{@link Keys} reads a record from it, whose components are keys.
 *
 * <p>Confined to the thread that reads the configuration; {@link #problem} may be called by any
 * thread later.
 */
public interface Section extends Keys.Source {
  /** Returns whether the file has a value for a key. */
  boolean has(String key);

  /** Returns true or false. */
  @Override
  boolean bool(String key, boolean defaultValue);

  /** Returns a whole number from {@code minimum} to {@code maximum}, both included. */
  int integer(String key, int defaultValue, int minimum, int maximum);

  /** Returns one of the words that are offered. */
  @Override
  String word(String key, String defaultValue, List<String> offered);

  /** Returns text that is not blank; nothing if the key is missing. */
  @Override
  Optional<String> text(String key);

  /** Returns text that is not blank. */
  @Override
  String text(String key, String defaultValue);

  /**
   * Returns text that nothing shows: neither {@code nyala config}, nor the log, nor {@code
   * cn=Monitor}. It is the value of the key, or the first line of the file that the key with {@code
   * File} at its end names; nothing if both are missing.
   */
  Optional<String> secret(String key);

  /** Returns a list of texts, none of them blank. */
  @Override
  List<String> texts(String key, List<String> defaultValue);

  /** Returns the objects of a list; none if the key is missing. */
  List<? extends Section> sections(String key);

  /**
   * Makes the exception for a wrong value of a key; its message has file, line and key.
   *
   * @param problem the expected value, or what is wrong with the one that was found
   */
  RuntimeException problem(String key, String problem);
}
