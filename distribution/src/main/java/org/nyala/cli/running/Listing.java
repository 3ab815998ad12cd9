package org.nyala.cli.running;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A list below the figures of {@code nyala top}.
 *
 * <p>Immutable. Rows become text when they are asked for.
 *
 * @param title its name
 * @param header the names of its columns
 * @param size the number of rows, from 0
 * @param row the text of each, by its number from 0
 */
record Listing(String title, String header, int size, IntFunction<String> row) {
  /** Makes a list of what each row is about. */
  static <T> Listing of(String title, String header, List<T> all, Function<T, String> row) {
    return new Listing(title, header, all.size(), i -> row.apply(all.get(i)));
  }

  /** Returns the same list with the last row first. */
  Listing reversed() {
    return new Listing(title, header, size, i -> row.apply(size - 1 - i));
  }

  /** Returns the rows from one on, as many as there is room for. */
  List<String> rows(int first, int room) {
    return IntStream.range(first, size).limit(room).mapToObj(row).toList();
  }
}
