package javax.annotation;

/** The mark on generated classes, which the JDK no longer carries; otherwise in jakarta.annotation-api 1.3. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
