package org.nyala.core.access.rule;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the name that somebody may have meant. Stateless. */
public final class SimilarNames {
  private static final int MAXIMUM_LENGTH = 64;
  private static final int MAXIMUM_DISTANCE = 2;

  private SimilarNames() {}

  /** Returns {@code ", did you mean 'x'?"}, or nothing if no name is similar. */
  public static String hint(String wrong, Iterable<String> names) {
    String similar = similar(wrong, names);
    return similar == null ? "" : ", did you mean '" + similar + "'?";
  }

  /* The first of the nearest names; short ones have little in common with any other. */
  private static @Nullable String similar(String wrong, Iterable<String> names) {
    if (wrong.length() > MAXIMUM_LENGTH) {
      return null;
    }
    String nearest = null;
    int least = Math.min(MAXIMUM_DISTANCE, (wrong.length() + 1) / 3) + 1;
    for (String name : names) {
      int difference = Math.abs(name.length() - wrong.length());
      int distance = difference < least ? distance(lowerCase(wrong), lowerCase(name)) : least;
      if (distance < least) {
        least = distance;
        nearest = name;
      }
    }
    return nearest;
  }

  private static String lowerCase(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /* The number of letters to insert, remove or replace (Levenshtein), row by row. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
