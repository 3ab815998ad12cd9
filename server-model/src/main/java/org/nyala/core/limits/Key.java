package org.nyala.core.limits;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A key of the configuration, at the component of a record that has its value; see {@link Keys}.
 * The type of the component is that of the value: a number, {@code boolean}, {@code String}, an
 * enumeration whose first constant is the default, {@code List<String>}, or {@code Path}; an {@code
 * Optional} or a nullable one may be missing. At a component that is a record itself, the key is
 * the section that has its keys; without this annotation they are in the section of the outer
 * record.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
  /** The bound of numbers that have no other bound. */
  int MANY = 1_000_000_000;

  /** The name in its section; that of the component unless it is given. */
  String name() default "";

  /** The default of a number, in units. */
  long usual() default 0;

  /** The least number, in units. */
  long from() default 0;

  /** The greatest number, in units. */
  long to() default MANY;

  /** The component whose value is the least number, if there is one. */
  String notBelow() default "";

  /** The component whose value is the greatest number, if there is one. */
  String notAbove() default "";

  /** The value of the component that the number 1 stands for. */
  long unit() default 1;

  /** The word that the file has for 0, which may be below the least number. */
  String zero() default "";

  /** The default of a {@code boolean}. */
  boolean on() default false;

  /** The default of a text. */
  String text() default "";

  /** True if a changed value takes effect with the next start only. */
  boolean lasting() default false;
}
